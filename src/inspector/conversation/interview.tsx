// Several questions at once, each with choices or a text of one's own.
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { visible } from '../state/format.ts';

interface Question {
  readonly question: string;
  readonly multiSelect?: boolean;
  readonly options?: readonly ({ readonly label: string; readonly description?: string } | string)[];
}

/** What of an opaque question is known to be one. */
function questionOf(value: unknown): Question {
  const { question, title, ...rest } = (value ?? {}) as Partial<Question> & { title?: string };
  return { ...rest, question: question ?? title ?? JSON.stringify(value) };
}

interface Props {
  readonly questions: readonly unknown[];
  readonly answer: (responses: Record<string, unknown>) => void;
}

export function Interview({ questions, answer }: Props): VNode {
  const [given, setGiven] = useState<Readonly<Record<string, string>>>({});
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        answer(given);
      }}
    >
      {questions.map(questionOf).map((each) => (
        <fieldset key={each.question}>
          <legend>{visible(each.question)}</legend>
          {(each.options ?? []).map((option) => {
            const { label, description = '' } = typeof option === 'string' ? { label: option } : option;
            const chosen = (given[each.question] ?? '').split(', ');
            const toggled = chosen.includes(label) ? chosen.filter((other) => other !== label) : [...chosen, label];
            const next = each.multiSelect === true ? toggled.filter(Boolean).join(', ') : label;
            return (
              <label key={label} class="choice">
                <input
                  type={each.multiSelect === true ? 'checkbox' : 'radio'}
                  name={each.question}
                  checked={chosen.includes(label)}
                  onChange={() => setGiven({ ...given, [each.question]: next })}
                />
                <bdi>{visible(label)}</bdi> <bdi class="quiet">{visible(description)}</bdi>
              </label>
            );
          })}
          <input
            class="wide"
            aria-label={`Your own answer: ${each.question}`}
            placeholder="your own answer"
            onInput={({ currentTarget }) => setGiven({ ...given, [each.question]: currentTarget.value })}
          />
        </fieldset>
      ))}
      <div class="row">
        <button type="submit" class="primary">
          Answer
        </button>
      </div>
    </form>
  );
}
