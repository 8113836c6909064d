// Loaded into a server with --import, for comparisons of memory: collects garbage when told to by SIGUSR2.
process.on('SIGUSR2', () => {
  globalThis.gc?.();
  globalThis.gc?.();
});
