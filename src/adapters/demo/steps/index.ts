// The play of each verb.
import type { Play } from '../play.ts';
import type { PlayState } from '../play-state.ts';
import type { Step } from '../script.ts';
import { ask } from './ask.ts';
import { compact, notice, queue, status, usage } from './beside-conversation.ts';
import { confirm, editor, input, select } from './dialogs.ts';
import { badorder, die, fail, hang, retry, unknown } from './failures.ts';
import { subagent } from './subagent.ts';
import { contexts, echo, help, image, long, slow, text, think, unicode } from './text.ts';
import { edit, tool, toolfail, tools } from './tools.ts';

/** The play of each step. `amount` is the verb's number. */
export const steps: { readonly [Verb in Step['verb']]: (stage: PlayState, amount: number) => Play } = {
  echo,
  think,
  tool,
  tools,
  toolfail,
  edit,
  ask,
  select,
  confirm,
  input,
  editor,
  fail,
  retry,
  compact,
  slow,
  hang,
  die,
  long,
  text,
  unicode,
  image,
  contexts,
  notice,
  status,
  queue,
  usage,
  subagent,
  unknown,
  badorder,
  help,
};
