// The parts of messages that both directions share: contents, tool calls, settings (docs/protocols/acp.md 3.21 to 3.26,
// 4.30, 4.35 to 4.39). The schemas are tolerant: unknown fields pass, and null counts as absent.
import { z } from 'zod';

export const text = z.string().nullish();
export const meta = { _meta: z.looseObject({}).nullish() };

/** The text or bytes of an embedded resource. */
export const Resource = z.looseObject({
  uri: z.string(),
  mimeType: text,
  text: text,
  blob: text,
});

/** One piece of a prompt, of a message or of a result. The types are open: an unknown one is kept as it came. */
export const ContentBlock = z.looseObject({
  type: z.string(),
  text: text,
  data: text,
  mimeType: text,
  uri: text,
  name: text,
  title: text,
  resource: Resource.nullish(),
  ...meta,
});
export type ContentBlock = z.infer<typeof ContentBlock>;

/** One item of a tool call's `content`: a content, a diff or a terminal. */
export const CallContent = z.looseObject({
  type: z.string(),
  content: ContentBlock.nullish(),
  path: text,
  oldText: text,
  newText: text,
  terminalId: text,
});
export type CallContent = z.infer<typeof CallContent>;

const figure = z.number().nullish();

/** The fields of a tool call, as its creation, its changes and a question for permission name them. */
export const ToolCallFields = z.looseObject({
  toolCallId: z.string(),
  title: text,
  name: text,
  kind: text,
  status: text,
  content: z.array(CallContent).nullish(),
  locations: z.array(z.looseObject({ path: z.string(), line: figure })).nullish(),
  rawInput: z.unknown().optional(),
  rawOutput: z.unknown().optional(),
  ...meta,
});
export type ToolCallFields = z.infer<typeof ToolCallFields>;

/** The modes of a session. */
export const Modes = z.looseObject({
  currentModeId: z.string(),
  availableModes: z.array(z.looseObject({ id: z.string(), name: text, description: text })),
});
export type Modes = z.infer<typeof Modes>;

/** The models of a session: a removed draft that agents still send (docs/protocols/acp.md 3.24). */
export const Models = z.looseObject({
  currentModelId: text,
  availableModels: z.array(z.looseObject({ modelId: z.string(), name: text, description: text })),
});
export type Models = z.infer<typeof Models>;

const Choice = z.looseObject({ value: z.string(), name: text, description: text });
const ChoiceGroup = z.looseObject({ group: text, name: text, options: z.array(Choice) });

/** A setting of a session. */
export const ConfigOption = z.looseObject({
  id: z.string(),
  name: text,
  description: text,
  category: text,
  type: text,
  currentValue: z.union([z.string(), z.boolean()]),
  options: z.array(z.union([ChoiceGroup, Choice])).nullish(),
});
export type ConfigOption = z.infer<typeof ConfigOption>;

/** A list of settings. An option that cannot be read is left out (docs/protocols/acp.md 3.22). */
export const ConfigOptions = z.array(z.unknown()).transform((all) => all.flatMap((one) => optionIn(one)));

function optionIn(value: unknown): ConfigOption[] {
  const { data } = ConfigOption.safeParse(value);
  if (data === undefined) return [];
  const isSelect = (data.type ?? 'select') === 'select' && typeof data.currentValue === 'string';
  return isSelect || (data.type === 'boolean' && typeof data.currentValue === 'boolean') ? [data] : [];
}

/** Categories of options that the model has fields for. */
export type Category = 'mode' | 'model' | 'thought_level';

/** The option of that category: the first one. */
export function optionAbout(all: readonly ConfigOption[], category: Category): ConfigOption | undefined {
  return all.find((option) => option.type !== 'boolean' && option.category === category);
}

/** The choices of a select, each with the heading of its group. */
export function choicesOf({ options }: ConfigOption): readonly (z.infer<typeof Choice> & { group?: string })[] {
  return (options ?? []).flatMap((entry) => {
    const grouped = ChoiceGroup.safeParse(entry);
    if (!grouped.success) return Choice.parse(entry);
    const { name, group } = grouped.data;
    const heading = name ?? group ?? '';
    return grouped.data.options.map((choice) => ({ ...choice, group: heading }));
  });
}

/** Tokens of a turn; a draft that agents send already (docs/protocols/acp.md 4.27). */
export const TurnUsage = z.looseObject({
  inputTokens: figure,
  outputTokens: figure,
  cachedReadTokens: figure,
  cachedWriteTokens: figure,
});
export type TurnUsage = z.infer<typeof TurnUsage>;
