// Loaded before a program: tells on stderr, a line each, what every write of its stdout hands to the system.
const { stdout, stderr } = process;
const tell = (chunks) =>
  stderr.write(`${JSON.stringify(chunks.map((chunk) => Buffer.from(chunk).toString('latin1')))}\n`);
const { _write, _writev } = stdout;
stdout._write = function (chunk, ...rest) {
  tell([chunk]);
  return _write.call(this, chunk, ...rest);
};
stdout._writev = function (chunks, ...rest) {
  tell(chunks.map(({ chunk }) => chunk));
  return _writev.call(this, chunks, ...rest);
};
