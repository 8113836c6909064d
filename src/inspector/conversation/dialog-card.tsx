// A question of the agent to its user: select, confirm, input, editor, interview.
import type { ComponentChildren, VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { CommandOf } from '../../core/model/command.ts';
import { visible } from '../state/format.ts';
import type { DialogItem } from '../state/items.ts';
import { selected } from '../state/link.ts';
import { Interview } from './interview.tsx';

type Answer = CommandOf<'answer-dialog'>['answer'];

export function DialogCard({ item }: { readonly item: DialogItem }): VNode {
  void item.changed.value;
  const { request, end } = item;
  if (end !== null)
    return (
      <p class="note info">
        <bdi>{visible(request.title)}</bdi>: {end.outcome}
      </p>
    );
  const answer = (given: Answer) => void selected.value?.ask({ type: 'answer-dialog', id: request.id, answer: given });
  return (
    <section class="card question" data-question aria-label={`Question: ${request.title}`} tabIndex={0}>
      <h3>
        <bdi>{visible(request.title)}</bdi>
      </h3>
      {request.message !== undefined && (
        <p>
          <bdi>{visible(request.message)}</bdi>
        </p>
      )}
      <Body request={request} answer={answer} />
    </section>
  );
}

interface BodyProps {
  readonly request: DialogItem['request'];
  readonly answer: (given: Answer) => void;
}

function Body({ request, answer }: BodyProps): VNode {
  switch (request.kind) {
    case 'select':
      return (
        <Row answer={answer}>
          {(request.options ?? []).map((option) => (
            <button type="button" key={option} onClick={() => answer({ kind: 'value', value: option })}>
              <bdi>{visible(option)}</bdi>
            </button>
          ))}
        </Row>
      );
    case 'confirm':
      return (
        <Row answer={answer}>
          <button type="button" class="primary" onClick={() => answer({ kind: 'confirmed', confirmed: true })}>
            Yes
          </button>
          <button type="button" onClick={() => answer({ kind: 'confirmed', confirmed: false })}>
            No
          </button>
        </Row>
      );
    case 'input':
    case 'editor':
      return <Written request={request} answer={answer} />;
    case 'interview':
      return (
        <>
          <Interview
            questions={request.questions ?? []}
            answer={(responses) => answer({ kind: 'responses', responses })}
          />
          <Row answer={answer} />
        </>
      );
    default:
      return request.kind satisfies never;
  }
}

interface RowProps {
  readonly answer: BodyProps['answer'];
  readonly children?: ComponentChildren;
}

/** The answers, and none of them. */
function Row({ answer, children }: RowProps): VNode {
  return (
    <div class="row">
      {children}
      <span class="gap" />
      <button type="button" onClick={() => answer({ kind: 'cancelled' })}>
        Cancel
      </button>
    </div>
  );
}

function Written({ request, answer }: BodyProps): VNode {
  const [value, setValue] = useState(request.prefill ?? '');
  const field = {
    'aria-label': request.title,
    placeholder: request.placeholder ?? '',
    value,
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) => setValue(currentTarget.value),
  };
  return (
    <form
      class="written"
      onSubmit={(event) => {
        event.preventDefault();
        answer({ kind: 'value', value });
      }}
    >
      {request.kind === 'editor' ? <textarea rows={6} class="wide" {...field} /> : <input class="wide" {...field} />}
      <Row answer={answer}>
        <button type="submit" class="primary">
          Answer
        </button>
      </Row>
    </form>
  );
}
