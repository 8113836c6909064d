// The words of our ECA frontend, where we say fewer than others may: docs/protocols/eca.md 8 and 1 to 4. What every server has to
// say stands in the rules for everybody.
import { fields, type Shape } from '../../../src/conformance/check/shape.ts';

const words = (...all: string[]): Shape => ({ words: all });
const names: Shape = ['string'];

/** A type of content: its roles, and the shape of the parameters that hold it. */
interface OwnContent {
  readonly roles: readonly string[];
  readonly shape: Shape;
}
const content = (roles: readonly string[], own: Readonly<Record<string, Shape>> = {}): OwnContent => ({
  roles,
  shape: fields({ chatId: 'string', 'parentChatId?': 'string', content: fields(own) }),
});

const model = ['assistant'];
const system = ['system'];
const call = { id: 'string', name: 'string', origin: words('native', 'mcp'), 'server?': 'string' } as const;

/** Contents by type. */
export const contents: ReadonlyMap<string, OwnContent> = new Map([
  ['text', content(['user', ...model, ...system], { text: 'string', 'contentId?': 'string' })],
  ['url', content(model)],
  ['image', content(model)],
  ['progress', content(system, { state: words('running', 'finished'), text: 'string' })],
  ['usage', content(system)],
  ['metadata', content(system)],
  ['flag', content(system, { text: 'string' })],
  ...['reasonStarted', 'reasonText', 'reasonFinished'].map((type) => [type, content(model)] as const),
  ...['toolCallPrepare', 'toolCallRun', 'toolCallRunning', 'toolCalled'].map(
    (type) => [type, content(model, call)] as const,
  ),
  ['toolCallRejected', content(model, { ...call, arguments: 'object' })],
]);

const ofChat = fields({ chatId: 'string' });
/** Notifications by method. */
export const notifications: ReadonlyMap<string, Shape> = new Map([
  ['chat/contentReceived', ofChat],
  ['chat/opened', ofChat],
  ['chat/cleared', ofChat],
  ['chat/deleted', ofChat],
  ['chat/statusChanged', fields({ chatId: 'string', status: words('running', 'idle', 'stopping') })],
  ['$/progress', fields({ type: words('start', 'finish'), taskId: 'string', title: 'string' })],
  ['$/showMessage', fields({ type: words('error', 'warning', 'info'), message: 'string' })],
  ['config/updated', 'object'],
  ['tool/serverUpdated', fields({ type: words('native', 'mcp'), name: 'string', status: 'string' })],
  ['tool/serverRemoved', fields({ name: 'string' })],
  ['$/cancelRequest', fields({ id: 'any' })],
]);

const list = (of: Shape): Shape => [of];
/** Results by method; all others are objects. */
export const results: ReadonlyMap<string, Shape> = new Map([
  ['initialize', fields({ models: names, chatBehaviors: names, chatWelcomeMessage: 'string' })],
  ['chat/prompt', fields({ chatId: 'string', status: words('success', 'prompting', 'login', 'error') })],
  ['chat/queryContext', fields({ 'chatId?': 'string', contexts: list(fields({ type: 'string' })) })],
  ['chat/queryCommands', fields({ 'chatId?': 'string', commands: list('object') })],
  ['chat/queryFiles', fields({ files: list(fields({ type: 'string' })) })],
  ['chat/list', fields({ chats: list(fields({ id: 'string' })) })],
  ['shutdown', 'null'],
]);
