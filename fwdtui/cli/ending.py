"""The signals that end what is measured without a screen."""

import signal


def ending() -> tuple[signal.Signals, ...]:
    """Those to be heeded. SIGHUP is not among them where it is ignored: that is what nohup(1) asks for."""
    ignored = signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    hangup = () if ignored else (signal.SIGHUP,)
    return (signal.SIGINT, signal.SIGTERM, *hangup)
