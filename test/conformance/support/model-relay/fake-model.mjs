// Asks the fake model, which speaks the Messages API, and reads its events.

/** The name and arguments of a tool as a program has it, for one of the fake model's. */
export function toolFor({ name, input }, { shell, read }) {
  if (shell !== undefined && (name === 'Bash' || name === 'bash')) return shell(input.command);
  const path = input.file_path ?? input.path;
  if (read !== undefined && path !== undefined && (name === 'Read' || name === 'read')) return read(path);
  return { name, input };
}

/** Joins messages in a row of one role: the fake model counts the rounds of tool results. */
export function joined(messages) {
  const all = [];
  for (const { role, content } of messages) {
    const last = all.at(-1);
    const isResult = content.every(({ type }) => type === 'tool_result');
    if (last?.role === role && last.isResult === isResult) last.content.push(...content);
    else all.push({ role, content: [...content], isResult });
  }
  return all.map(({ role, content }) => ({ role, content }));
}

/** The events of the answer, or the status of a refusal. */
export async function answerOf({ messages, tools }, signal) {
  const response = await fetch(`${process.env.ANTHROPIC_BASE_URL}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'fake-1', stream: true, messages: joined(messages), tools }),
    signal,
  });
  if (response.ok) return { events: eventsIn(response.body) };
  const { error } = await response.json();
  return { status: response.status, message: error.message };
}

async function* eventsIn(body) {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    const parts = rest.split('\n\n');
    rest = parts.pop();
    for (const part of parts) {
      const data = part.split('\n').find((line) => line.startsWith('data: '));
      if (data !== undefined) yield JSON.parse(data.slice(6));
    }
  }
}
