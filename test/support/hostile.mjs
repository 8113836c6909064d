// Makes a scripted agent hostile: `node hostile.mjs <script> <messages> …` says messages of a gateway, a JSON list of texts, as lines of
// its own, as the rest of a line that is right so far, and as texts of the model and of a tool. Knows how its lines are framed.
const [, , script, list, ...rest] = process.argv;
const messages = JSON.parse(list);
process.argv = [process.argv[0], script, ...rest];
const words = JSON.stringify(messages.join(' ')).slice(1, -1);

const { write } = process.stdout;
const head = /^Content-Length: \d+\r\n\r\n/u;
/** What a run begins with, what the tool says, and the last words of the model. */
const begin = 'A drawer ';
const tool = 'three cables lie in it';
const last = 'ee cables.';
let isDone = false;

process.stdout.write = (chunk) => {
  const isFramed = head.test(chunk);
  const print = (body) =>
    write.call(process.stdout, isFramed ? `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}` : `${body}\n`);
  const body = String(chunk).replace(head, '').trimEnd();
  const said = body.replaceAll(tool, words).replaceAll('There are ', `${words} `);
  print(said);
  if (body.includes(begin)) isDone = false;
  if (isDone || !body.includes(last)) return true;
  isDone = true;
  for (const message of messages) {
    print(message);
    print(`${said.slice(0, -1)},${message.slice(1)}`);
    print(`${said},${message.slice(1, -1)}`);
  }
  return true;
};

await import(script);
