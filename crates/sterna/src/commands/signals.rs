//! What is put in order before a signal ends the program.

/// Does `act` when Ctrl-C, a request to end or a closed terminal comes; then the program ends as it would have without.
#[cfg(unix)]
pub fn before_the_end(act: impl Fn() + Send + 'static) -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    before(&[SIGTERM, SIGHUP, SIGINT], act)
}

/// The same for some `signals`.
#[cfg(unix)]
pub fn before(signals: &[i32], act: impl Fn() + Send + 'static) -> std::io::Result<()> {
    let mut signals = signal_hook::iterator::Signals::new(signals)?;
    std::thread::Builder::new().name("signals".into()).spawn(move || {
        for signal in signals.forever() {
            act();
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    })?;
    Ok(())
}

/// Elsewhere the program just ends.
#[cfg(not(unix))]
pub fn before_the_end(_: impl Fn() + Send + 'static) -> std::io::Result<()> {
    Ok(())
}
