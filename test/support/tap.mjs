// A transparent stdio wrapper: `node tap.mjs <record-file> -- <command…>` copies both pipes byte for byte and appends
// one row {"dir","line"} a line to the record. A record name that ends in / is a folder: one file for each process.
// Rows: `pid` (the child's), `in` and `out` (the lines), `exit` (code or signal). pi's message_update lines are
// quadratic in the answer's length and say nothing that message_end does not repeat: they pass, but are not recorded.
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';

const separator = process.argv.indexOf('--');
const [name, [command, ...rest]] = [process.argv[2], process.argv.slice(separator + 1)];
if (separator !== 3 || command === undefined) {
  process.stderr.write('usage: tap.mjs <record-file> -- <command…>\n');
  process.exit(2);
}
const file = name.endsWith('/') ? `${name}${process.pid}.jsonl` : name;
const skipped = Buffer.from('{"type":"message_update"');

function record(dir, line) {
  appendFileSync(file, `${JSON.stringify({ dir, line })}\n`);
}

/** Splits a byte stream on LF; holds a line back only as long as it may have to be recorded. */
function recorder(dir) {
  let pieces = [];
  let held = 0;
  let dropping = false;
  function flush() {
    if (!dropping && held > 0) record(dir, Buffer.concat(pieces).toString('utf8'));
    pieces = [];
    held = 0;
    dropping = false;
  }
  function hold(piece) {
    if (dropping || piece.length === 0) return;
    pieces.push(piece);
    held += piece.length;
    if (held < skipped.length || held - piece.length >= skipped.length) return;
    dropping = Buffer.concat(pieces).subarray(0, skipped.length).equals(skipped);
    if (dropping) pieces = [];
  }
  return {
    push(chunk) {
      let from = 0;
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
        hold(chunk.subarray(from, at));
        flush();
        from = at + 1;
      }
      hold(chunk.subarray(from));
    },
    end: flush,
  };
}

const child = spawn(command, rest, { stdio: ['pipe', 'pipe', 'inherit'] });
record('pid', String(child.pid));

function copy(from, to, dir) {
  const lines = recorder(dir);
  from.on('data', lines.push);
  from.on('end', lines.end);
  from.pipe(to);
}
copy(process.stdin, child.stdin, 'in');
copy(child.stdout, process.stdout, 'out');

// Either end may hang up first: the writer then has nobody left to tell.
child.stdin.on('error', () => process.stdin.destroy());
process.stdout.on('error', () => child.stdout.destroy());
child.on('error', (error) => {
  process.stderr.write(`tap: ${error.message}\n`);
  process.exit(127);
});

const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP'];
for (const signal of forwarded) process.on(signal, () => child.kill(signal));

child.on('close', (code, signal) => {
  record('exit', String(signal ?? code));
  process.stdout.write('', () => {
    if (signal === null) process.exit(code);
    for (const name of forwarded) process.removeAllListeners(name);
    process.kill(process.pid, signal);
  });
});
