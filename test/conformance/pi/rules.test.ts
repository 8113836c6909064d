// The rules of pi accept any trace without throwing, and find no violation in the scenarios of a correct agent.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Trace, TraceFrame } from '../../../src/conformance/check/rule.ts';
import { piAgent } from '../../../src/conformance/pi/agent.ts';
import type { Frame } from '../../../src/core/contract/channel.ts';
import { anyFrame } from '../../support/any-frame.ts';
import { hasScenarioFile, scenarioLines, scenarioNames } from '../../support/fixtures.ts';

function traceFrame(by: TraceFrame['by'], { text, json }: { text: string; json: () => unknown }): TraceFrame {
  try {
    return { at: 0, by, text, json: json() };
  } catch {
    return { at: 0, by, text };
  }
}

/** The text of a frame, or a placeholder where its bytes are no UTF-8. */
function readable(frame: Frame): string {
  try {
    return frame.text;
  } catch {
    return 'bytes';
  }
}

const frames = fc.array(fc.tuple(fc.constantFrom('agent', 'client'), anyFrame('pi')), { maxLength: 60 });

test('no rule throws on any trace, and each finding is inside the trace', () => {
  fc.assert(
    fc.property(frames, fc.boolean(), (some, isComplete) => {
      const trace: Trace = {
        isComplete,
        frames: some.map(([by, frame]) => traceFrame(by, { text: readable(frame), json: () => frame.json })),
      };
      for (const { judge } of piAgent.rules)
        for (const { frame } of judge(trace)) expect(trace.frames.length).toBeGreaterThan(frame);
    }),
    { numRuns: 150 },
  );
});

test.each(scenarioNames.filter((name) => hasScenarioFile(name, 'pi')))('the scenario %s', (name) => {
  const lines = scenarioLines(name, 'pi');
  const trace: Trace = {
    isComplete: false,
    frames: lines.map((text) => traceFrame('agent', { text, json: () => JSON.parse(text) })),
  };
  const wrong = piAgent.rules.flatMap(({ id, level, judge }) =>
    [...judge(trace)].flatMap((finding) =>
      finding.wrong === null || level === 'MAY' ? [] : [`${id}: ${finding.wrong}`],
    ),
  );
  expect(wrong).toEqual([]);
});
