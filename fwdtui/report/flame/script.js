// Search and zoom of a flame graph. It reads what is drawn; without it the picture and its titles stand alone.
(function () {
  'use strict';
  var script = document.currentScript;
  var svg = (script && script.ownerSVGElement) || document.documentElement;
  var LEFT = +svg.dataset.left, FULL = +svg.dataset.full, LETTER = +svg.dataset.letter, NEAR = 0.001;
  var detail = svg.querySelector('#detail'), found = svg.querySelector('#found'), back = svg.querySelector('#back');
  var frames = Array.from(svg.querySelectorAll('g.f'), function (group) {
    var rect = group.querySelector('rect');
    return {
      group: group, rect: rect, text: group.querySelector('text'), more: group.dataset.more || '',
      title: group.querySelector('title').textContent, name: group.dataset.name,
      x: +rect.getAttribute('x'), w: +rect.getAttribute('width'), y: +rect.getAttribute('y')
    };
  });

  function label(frame, width) {
    var letters = Math.floor((width - 6) / LETTER);
    if (letters < 3) { return ''; }
    var whole = frame.name + frame.more;
    if (letters >= whole.length) { return whole; }
    return letters >= frame.name.length ? frame.name : frame.name.slice(0, letters - 1) + '…';
  }

  function place(frame, x, width, shown) {
    frame.group.style.display = shown ? '' : 'none';
    if (!shown) { return; }
    frame.rect.setAttribute('x', x);
    frame.rect.setAttribute('width', width);
    if (!frame.text) {
      frame.text = document.createElementNS('http://www.w3.org/2000/svg', 'text');
      frame.text.setAttribute('y', frame.y + 12);
      frame.group.appendChild(frame.text);
    }
    frame.text.setAttribute('x', x + 3);
    frame.text.textContent = label(frame, width);
  }

  function zoom(chosen) {
    var end = chosen.x + chosen.w;
    frames.forEach(function (frame) {
      var below = frame.y > chosen.y + NEAR;
      var holds = below && frame.x <= chosen.x + NEAR && frame.x + frame.w >= end - NEAR;
      var within = !below && frame.x >= chosen.x - NEAR && frame.x + frame.w <= end + NEAR;
      frame.group.classList.toggle('under', holds);
      if (holds) { place(frame, LEFT, FULL, true); return; }
      place(frame, LEFT + (frame.x - chosen.x) * FULL / chosen.w, frame.w * FULL / chosen.w, within);
    });
    back.style.display = chosen.w < FULL - NEAR ? 'inline' : 'none';
  }

  function reset() {
    frames.forEach(function (frame) {
      frame.group.classList.remove('under');
      place(frame, frame.x, frame.w, true);
    });
    back.style.display = 'none';
  }

  function search(words) {
    var wanted = words.trim().toLowerCase(), hits = [];
    frames.forEach(function (frame) {
      var hit = wanted !== '' && frame.name.toLowerCase().indexOf(wanted) >= 0;
      frame.group.classList.toggle('hit', hit);
      if (hit) { hits.push(frame); }
    });
    svg.classList.toggle('searched', wanted !== '');
    // a function that calls itself, or two that match above each other, count once
    hits.sort(function (one, other) { return one.x - other.x; });
    var sum = 0, end = LEFT;
    hits.forEach(function (frame) {
      var right = frame.x + frame.w;
      if (right > end) { sum += right - Math.max(end, frame.x); end = right; }
    });
    found.textContent = wanted === '' ? '' : hits.length
      ? (100 * sum / FULL).toFixed(1) + ' % of the whole width match' : 'nothing that is drawn matches';
  }

  function field() {
    var holder = document.createElementNS('http://www.w3.org/2000/svg', 'foreignObject');
    var input = document.createElementNS('http://www.w3.org/1999/xhtml', 'input');
    holder.setAttribute('x', LEFT + FULL - 220);
    holder.setAttribute('y', 6);
    holder.setAttribute('width', 220);
    holder.setAttribute('height', 26);
    holder.setAttribute('class', 'control');
    input.setAttribute('type', 'search');
    input.setAttribute('placeholder', 'search ( / )');
    input.setAttribute('aria-label', 'search for a function');
    input.setAttribute('style', 'width: 212px; font: 12px monospace');
    input.addEventListener('input', function () { search(input.value); });
    holder.appendChild(input);
    svg.appendChild(holder);
    return input;
  }

  var input = field();
  frames.forEach(function (frame) {
    frame.group.addEventListener('click', function () { zoom(frame); });
    frame.group.addEventListener('mouseenter', function () {
      detail.textContent = frame.title.split('\n').join(' · ');
    });
    frame.group.addEventListener('mouseleave', function () { detail.textContent = ''; });
  });
  back.addEventListener('click', reset);
  window.addEventListener('keydown', function (event) {
    if (event.key === 'Escape') { input.value = ''; search(''); reset(); }
    if (event.key === '/' && event.target !== input) { event.preventDefault(); input.focus(); }
  });
}());
