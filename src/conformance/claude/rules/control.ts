// Rules on the client's control requests (docs/protocols/claude.md 3.4). All are measured: the document
// behind that page does not describe these requests.
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import { each, type Finding } from '../../check/rule.ts';
import { fields, misfit, type Shape } from '../../check/shape.ts';
import type { ClientRequest, View } from '../view/view.ts';
import { claudeRules, type Row } from './claude-rule.ts';

type Answered = ClientRequest & { readonly response: ClientRequest['answers'][number]['response'] };

/** Answered requests of this subtype, with the first answer and the frame of that answer. */
function answered({ requests }: View, subtype: string): Answered[] {
  return requests.flatMap((request) => {
    const [first] = request.answers;
    return request.subtype !== subtype || first === undefined
      ? []
      : [{ ...request, frame: first.frame, response: first.response }];
  });
}

/** The first request of this subtype, if it was answered. */
function answeredFirst(view: View, subtype: string): Answered[] {
  const first = view.requests.find((request) => request.subtype === subtype);
  return answered(view, subtype).filter(({ id, request }) => id === first?.id && request === first?.request);
}

const isSuccess = ({ response }: Answered): boolean => response.subtype === 'success';
/** A successful answer has this shape. An agent may refuse what it cannot do; a refusal is not judged. */
const succeeded = (subtype: string, shape: Shape) => (view: View) =>
  each(answered(view, subtype).filter(isSuccess), ({ response }) => misfit(response.response, shape, 'response'));

/** Names of requests that no agent serves. */
const isMadeUp = (word: unknown): boolean => /^no_?such|^nonsense$/u.test(String(word));

const alone = { section: '1.1', scenarios: ['settings'], isMeasured: true } as const;
const row = { ...alone, reads: 'both' } as const;
const covers = (subtype: string) => [`control:${subtype}`];
const wasRefused = ({ response }: Answered): string | null =>
  response.subtype === 'error' ? null : `it was answered with ${String(response.subtype)}`;

const rows: Record<string, Row> = {
  'response-shape': {
    ...alone,
    sentence: 'A control_response is a success or an error with words, and names its request.',
    covers: ['message:control_response'],
    judge: ({ fromAgent }) =>
      each(
        fromAgent.filter(({ type }) => type === 'control_response'),
        ({ json }) => {
          const response = dictionaryOf(json.response);
          if (response.subtype === 'error')
            return misfit(response, fields({ request_id: 'string', error: 'string' }), 'response');
          return response.subtype === 'success'
            ? misfit(response, fields({ request_id: 'string' }), 'response')
            : `a response with subtype ${String(response.subtype)}`;
        },
      ),
  },
  'request-answered': {
    ...row,
    sentence: 'Each control_request of the client is answered.',
    covers: ['message:control_request', 'message:control_response'],
    *judge({ requests, isComplete }) {
      for (const { frame, answers, subtype } of requests)
        if (answers.length > 0 || isComplete)
          yield { frame, wrong: answers.length > 0 ? null : `${subtype} was not answered` };
    },
  },
  'request-answered-once': {
    ...row,
    sentence: 'A control_request is answered once.',
    covers: ['message:control_response'],
    *judge({ requests }) {
      for (const { answers } of requests)
        for (const [at, { frame }] of answers.entries())
          yield { frame, wrong: at === 0 ? null : 'it was answered before' };
    },
  },
  'response-known': {
    ...row,
    sentence: 'A control_response answers a request that the client has made.',
    covers: ['message:control_response'],
    *judge({ requests, strays }) {
      for (const { answers } of requests) for (const { frame } of answers) yield { frame, wrong: null };
      // A request from before the recording may be answered in it.
      const start = requests.find(({ subtype }) => subtype === 'initialize')?.frame ?? Number.POSITIVE_INFINITY;
      for (const { frame } of strays) if (frame > start) yield { frame, wrong: 'nobody asked for it' };
    },
  },
  'initialize-response': {
    ...row,
    sentence: 'The first initialize succeeds, with the lists of commands and models that a client shows.',
    covers: covers('initialize'),
    judge: (view) =>
      // An agent may refuse a second `initialize`.
      each(answeredFirst(view, 'initialize'), (one) =>
        isSuccess(one)
          ? misfit(one.response.response, fields({ commands: ['object'], models: ['object'] }), 'response')
          : 'initialize was refused',
      ),
  },
  'initialize-commands': {
    ...row,
    sentence: 'Each command of the greeting has a name, a description and an argumentHint.',
    covers: covers('initialize'),
    judge: succeeded(
      'initialize',
      fields({ commands: [fields({ name: 'string', description: 'string', argumentHint: 'string' })] }),
    ),
  },
  'initialize-models': {
    ...row,
    sentence: 'Each model of the greeting has a value, a displayName and a description.',
    covers: covers('initialize'),
    judge: succeeded(
      'initialize',
      fields({ models: [fields({ value: 'string', displayName: 'string', description: 'string' })] }),
    ),
  },
  'initialize-style': {
    ...row,
    level: 'SHOULD',
    sentence: 'The greeting names the output style and those that there are.',
    covers: covers('initialize'),
    judge: succeeded('initialize', fields({ output_style: 'string', available_output_styles: ['string'] })),
  },
  'set-model-offered': {
    ...row,
    sentence: 'A model that the greeting offers can be set.',
    covers: covers('set_model'),
    *judge(view) {
      const offered = new Set(answered(view, 'initialize').flatMap(({ response }) => modelsIn(response.response)));
      for (const one of answered(view, 'set_model'))
        if (offered.has(one.request.model)) yield { frame: one.frame, wrong: isSuccess(one) ? null : 'it was refused' };
    },
  },
  'set-model-answer': {
    ...row,
    level: 'SHOULD',
    sentence: 'set_model is answered with the model.',
    covers: covers('set_model'),
    judge: succeeded('set_model', fields({ model: 'string' })),
  },
  'set-mode-answer': {
    ...row,
    sentence: 'set_permission_mode is answered with the mode that was asked for.',
    covers: covers('set_permission_mode'),
    judge: (view) =>
      each(answered(view, 'set_permission_mode').filter(isSuccess), ({ request, response }) => {
        const { mode } = dictionaryOf(response.response);
        return mode === request.mode ? null : `mode ${String(mode)} instead of ${String(request.mode)}`;
      }),
  },
  'set-mode-told': {
    ...row,
    level: 'SHOULD',
    sentence: 'The next init tells the mode that was set.',
    covers: covers('set_permission_mode'),
    judge: modeTold,
  },
  'set-mode-unknown': {
    ...row,
    sentence: 'A mode that does not exist is refused.',
    covers: covers('set_permission_mode'),
    judge: (view) =>
      each(
        answered(view, 'set_permission_mode').filter(({ request }) => isMadeUp(request.mode)),
        wasRefused,
      ),
  },
  'set-mode-unknown-code': {
    ...row,
    level: 'SHOULD',
    sentence: 'The refusal of a mode that does not exist has the error_code invalid_mode.',
    covers: covers('set_permission_mode'),
    judge: (view) =>
      each(
        answered(view, 'set_permission_mode').filter((one) => isMadeUp(one.request.mode) && !isSuccess(one)),
        ({ response: { error_code: code } }) => (code === 'invalid_mode' ? null : `error_code ${String(code)}`),
      ),
  },
  'set-thinking-answer': {
    ...row,
    sentence: 'set_max_thinking_tokens succeeds, or is refused as unsupported.',
    covers: covers('set_max_thinking_tokens'),
    judge: (view) =>
      each(answered(view, 'set_max_thinking_tokens'), (one) =>
        isSuccess(one) || one.response.error_code === 'unsupported_request'
          ? null
          : 'it was refused for another reason',
      ),
  },
  'mcp-status-answer': {
    ...row,
    sentence: 'mcp_status is answered with the servers, each with its name and status.',
    covers: covers('mcp_status'),
    judge: succeeded('mcp_status', fields({ mcpServers: [fields({ name: 'string', status: 'string' })] })),
  },
  'unknown-request': {
    ...row,
    sentence: 'A control_request of a subtype that nobody knows is refused.',
    covers: ['message:control_request'],
    judge: (view) =>
      each(
        view.requests.filter(({ subtype }) => isMadeUp(subtype)).flatMap(({ subtype }) => answered(view, subtype)),
        wasRefused,
      ),
  },
  'unknown-request-code': {
    ...row,
    level: 'SHOULD',
    sentence: 'That refusal has the error_code unsupported_request.',
    covers: ['message:control_request'],
    judge: (view) =>
      each(
        view.requests.filter(({ subtype }) => isMadeUp(subtype)).flatMap(({ subtype }) => answered(view, subtype)),
        ({ response: { error_code: code } }) => (code === 'unsupported_request' ? null : `error_code ${String(code)}`),
      ),
  },
  'interrupt-answer': {
    ...row,
    scenarios: ['interrupt', 'settings'],
    sentence: 'interrupt succeeds, also when nothing is going on.',
    covers: covers('interrupt'),
    judge: (view) => each(answered(view, 'interrupt'), (one) => (isSuccess(one) ? null : 'it was refused')),
  },
  'interrupt-queued': {
    ...row,
    level: 'SHOULD',
    scenarios: ['interrupt', 'settings'],
    sentence: 'interrupt is answered with the prompts that still wait, in still_queued.',
    covers: covers('interrupt'),
    judge: succeeded('interrupt', fields({ still_queued: ['any'] })),
  },
  'interrupt-ends': {
    ...row,
    scenarios: ['interrupt'],
    sentence: 'A turn that is interrupted comes to its result.',
    covers: covers('interrupt'),
    judge: interruptEnds,
  },
  'interrupt-verdict': {
    ...row,
    scenarios: ['interrupt'],
    sentence: 'A turn that an interrupt cut is error_during_execution.',
    covers: [...covers('interrupt'), 'message:result'],
    judge: interruptVerdict,
  },
};

export const controlRules = claudeRules(rows);

function modelsIn(response: unknown): unknown[] {
  const { models } = dictionaryOf(response);
  return Array.isArray(models) ? models.map((model) => dictionaryOf(model).value) : [];
}

function* modeTold(view: View): Generator<Finding> {
  const sets = answered(view, 'set_permission_mode').filter(isSuccess);
  for (const { frame, json } of view.fromAgent) {
    if (json.subtype !== 'init') continue;
    const set = sets.findLast((one) => one.frame < frame);
    // Only a request can have changed the value.
    const isChanged =
      view.agentRequests.some(({ answer }) => answer !== null) ||
      view.fromAgent.some((message) => tellsMode(message.json));
    if (set === undefined || isChanged) continue;
    const wrong = json.permissionMode === set.request.mode ? null : `it tells ${String(json.permissionMode)}`;
    yield { frame, wrong };
  }
}

const tellsMode = (json: ClientRequest['request']): boolean =>
  json.subtype === 'status' && 'permissionMode' in json && json.status !== null;

/** Interrupts during a turn, with that turn. */
function interrupted(view: View) {
  return view.requests.flatMap((request) => {
    if (request.subtype !== 'interrupt') return [];
    const turn = view.turns.find(
      ({ from, result }) => request.frame >= from && request.frame <= (result?.frame ?? Number.POSITIVE_INFINITY),
    );
    const isOn = turn?.messages.some(({ type, frame }) => type === 'stream_event' && frame < request.frame) === true;
    return turn === undefined || !isOn ? [] : [{ request, turn }];
  });
}

function* interruptEnds(view: View): Generator<Finding> {
  for (const { request, turn } of interrupted(view))
    if (turn.result !== null || view.isComplete)
      yield { frame: request.frame, wrong: turn.result === null ? 'the turn went on and on' : null };
}

function* interruptVerdict(view: View): Generator<Finding> {
  for (const { turn } of interrupted(view)) {
    if (turn.result === null) continue;
    const { frame, json } = turn.result;
    const last = view.stream.messages.findLast(
      (one) => one.lane === null && one.frame >= turn.from && one.frame < frame,
    );
    if (last?.isCut !== true || last.stop === null) continue;
    yield { frame, wrong: json.subtype === 'error_during_execution' ? null : `subtype ${String(json.subtype)}` };
  }
}
