"""The app's stylesheet: Textual's own, which does nothing twice.

Textual parses all files again for each screen with a file of its own. Whenever a screen is shown or gets a
class, it looks again for the rules of every widget on it, and of every part of each table, list and input.
A theme refreshes all widgets once for each of their colours.
"""

from typing import Any

from textual.app import App
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode
from textual.widget import Widget

# The same number as Textual's own, which is a method in Python: all rules are hashed for each widget.
RuleSet.__hash__ = object.__hash__  # type: ignore[method-assign]

_State = tuple[Any, ...]  # what rules can ask of a widget, and of each that it is in
_Case = tuple[frozenset[RuleSet], _State]  # the rules that may be a widget's, and its state
_Styles = dict[str, Any]
_Rules = dict[str, list[RuleSet]]  # by the last name of their selectors
_MOST = 10_000  # widgets in their states; some hundreds are usual
_STYLED_FOR = "_fwdtui_styled_for"


class StyledOnce(Stylesheet):
    """A stylesheet that is parsed when the theme changes, and that knows the styles of what it has seen."""

    def __init__(self, *, variables: dict[str, str] | None = None) -> None:
        super().__init__(variables=variables)
        self._known: dict[_Case, _Styles] = {}
        self._above: tuple[DOMNode | None, _State] = None, ()  # the widget whose parts are being styled

    def set_variables(self, variables: dict[str, str]) -> None:
        """Textual's own discards what it parsed even if nothing changed."""
        if variables != self._variables:
            super().set_variables(variables)
            self._known.clear()

    def reparse(self) -> None:
        """As Textual's own, but uses the cache. Raises what `parse` raises."""
        self.parse()

    def apply(self, node: DOMNode, *, animate: bool = False, cache: dict[Any, Any] | None = None) -> None:
        """As Textual's own, but nothing for a widget to which the same rules apply in the same state."""
        if isinstance(node, App):
            super().apply(node, animate=animate, cache=cache)
            return
        rules = self.rules_map
        asked = frozenset(rule for name in rules.keys() & node._selector_names for rule in rules[name])
        above, state = self._above
        state = (state, *_own(node, rules)) if node._parent is above else _state(node, rules, cache)
        case = asked, state
        if node.__dict__.get(_STYLED_FOR) == case:
            return
        before, self._above = self._above, (node, state)
        try:
            super().apply(node, animate=animate, cache=_Known(self._known, case))
        finally:
            self._above = before
        # what follows it, or is in it, is no part of its state
        more = node._has_order_style or node._has_odd_or_even or node._has_focus_within
        node.__dict__[_STYLED_FOR] = None if more else case

    @classmethod
    def replace_rules(cls, node: DOMNode, rules: Any, animate: bool = False) -> None:
        """As Textual's own, with one refresh of each kind, not one for each colour that differs."""
        base = node.styles.base
        asked: dict[tuple[tuple[str, bool], ...], None] = {}

        def later(**how: bool) -> None:
            asked[tuple(how.items())] = None

        base.__dict__["refresh"] = later
        try:
            super().replace_rules(node, rules, animate)
        finally:
            del base.__dict__["refresh"]
        for how in asked:
            base.refresh(**dict(how))


class _Known(dict[Any, Any]):
    """What Textual takes for the cache of one round; it does not ask where the order of widgets matters."""

    def __init__(self, known: dict[_Case, _Styles], case: _Case) -> None:
        self._known, self._case = known, case

    def get(self, key: object, default: object = None) -> Any:
        return self._known.get(self._case)

    def __setitem__(self, key: object, styles: _Styles) -> None:
        if len(self._known) >= _MOST:
            self._known.clear()
        self._known[self._case] = styles


def _state(node: DOMNode, rules: _Rules, cache: dict[Any, Any] | None) -> _State:
    """Of `node` and all that it is in; `cache`: of one round, in which none of them changes."""
    if cache is not None and node in cache:
        return cache[node]  # type: ignore[no-any-return]
    above = node._parent
    own = _own(node, rules)
    state = (_state(above, rules, cache), *own) if isinstance(above, DOMNode) else own
    if cache is not None:
        cache[node] = state
    return state


def _own(node: DOMNode, rules: _Rules) -> _State:
    identity = node._id if f"#{node._id}" in rules else None  # each notice has one of its own
    named = type(node), identity, frozenset(node._classes)
    if isinstance(node, Widget):
        return *named, node.mouse_hover, node.has_focus, node.disabled, node.can_focus
    if isinstance(node, App):
        seen = node.app_focus, node.current_theme.dark, node.native_ansi_color, node.no_color, node.is_inline
        return *named, *seen
    return named
