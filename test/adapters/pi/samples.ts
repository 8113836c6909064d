// A model and a state as pi tells them, and what they are in canonical words.
export const model = { id: 'm', name: 'M', provider: 'p', contextWindow: 10, maxTokens: 5, reasoning: true, api: 'a' };
export const canonicalModel = {
  id: 'm',
  name: 'M',
  provider: 'p',
  contextWindow: 10,
  maxOutput: 5,
  reasoning: true,
  extra: { pi: { api: 'a' } },
};
export const state = {
  model,
  thinkingLevel: 'low',
  isStreaming: true,
  isCompacting: false,
  steeringMode: 'all',
  followUpMode: 'all',
  sessionId: 's',
  sessionFile: '/f',
  sessionName: 'n',
  autoCompactionEnabled: true,
  messageCount: 2,
  pendingMessageCount: 1,
};
export const changes = {
  model: canonicalModel,
  thinkingLevel: 'low',
  steeringMode: 'all',
  followUpMode: 'all',
  agentSessionId: 's',
  file: '/f',
  resume: '/f',
  name: 'n',
  autoCompaction: true,
};
