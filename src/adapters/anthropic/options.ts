// The options of an anthropic agent, validated. The API key is not an option: it stays in the environment.
import { z } from 'zod';
import type { Instructions } from '../../core/contract/adapter/instructions.ts';
import type { Options } from '../../core/contract/adapter/launch.ts';
import { GatewayError } from '../../core/model/errors.ts';

/** A model name of the API. */
export const ModelId = z.string().regex(/^[^\s\p{Cc}]{1,200}$/u, 'must be the name of a model');

const price = z.number().min(0);

/** US dollars per million tokens. */
export const Prices = z.strictObject({ input: price, output: price, cacheRead: price, cacheWrite: price });
export type Prices = z.infer<typeof Prices>;

/**
 * The kind of thinking that a model supports. `adaptive`: with a level, or not at all. `always`: with a level, and
 * cannot be switched off. `between-tools`: like `adaptive`, with other request fields. `budget`: up to a number of
 * tokens. `none`: the model cannot think.
 */
export const ThinkingKind = z.enum(['adaptive', 'always', 'between-tools', 'budget', 'none']);
export type ThinkingKind = z.infer<typeof ThinkingKind>;

/** An offered model, with data that known-models.ts lacks or has wrong. */
const OfferedModel = z.strictObject({
  id: ModelId,
  name: z.string().min(1).optional(),
  /** Tokens. */
  contextWindow: z.int().min(1).optional(),
  /** Tokens. */
  maxOutput: z.int().min(1).optional(),
  thinking: ThinkingKind.optional(),
});
export type OfferedModel = z.infer<typeof OfferedModel>;

/** An integer. Values from a command line are strings. */
const whole = (least: number, most = Number.MAX_SAFE_INTEGER) => {
  const number = z.int().min(least).max(most);
  return z.union([number, z.string().regex(/^\d+$/u, 'must be a number').transform(Number).pipe(number)]);
};
const yesOrNo = z.union([z.boolean(), z.enum(['true', 'false']).transform((word) => word === 'true')]);

const Named = ModelId.transform((id): OfferedModel => ({ id }));
const Names = z.string().transform((names) => names.split(','));

/** The options of an agent. */
export const AnthropicOptions = z
  .strictObject({
    /** The model of a new session. Default: the first offered model. */
    model: ModelId.optional(),
    /**
     * The models that clients may choose: a list, or names separated by commas. Default: those of known-models.ts are
     * listed, and any other name is accepted.
     */
    models: z
      .union([z.array(z.union([Named, OfferedModel])), Names.pipe(z.array(Named))])
      .refine(({ length }) => length > 0 && length <= 100, 'must be 1 to 100 models')
      .optional(),
    /** Tokens of one answer, including thinking. Default: 32000, or the model's limit if lower. */
    maxTokens: whole(1).optional(),
    /** The system prompt. */
    system: z.string().min(1).optional(),
    /** The thinking level of a new session; see thinking.ts. */
    thinking: z.string().min(1).optional(),
    /** The thinking tokens of a new session, for models with a budget. */
    thinkingBudget: whole(1).optional(),
    /** Prices by model, in place of those in known-models.ts. */
    prices: z.record(ModelId, Prices).default({}),
    /** Default: ANTHROPIC_BASE_URL, else the API itself. */
    baseUrl: z.url({ protocol: /^https?$/u }).optional(),
    /** Whether to use the API's prompt cache. */
    cache: yesOrNo.default(true),
    /** Most retries of a failed request. */
    retries: whole(0, 10).default(3),
  })
  .refine(({ thinking, thinkingBudget }) => thinking === undefined || thinkingBudget === undefined, {
    message: 'thinking is a level or a budget, not both',
  });
export type AnthropicOptions = z.infer<typeof AnthropicOptions>;

/** The options with instructions for the model added. */
export function withInstructions(options: Options, { text, addition }: Instructions): Options {
  const parts = [text ?? options.system, addition].filter((part) => part !== undefined && part !== '');
  return parts.length === 0 ? options : { ...options, system: parts.join('\n\n') };
}

/** Throws a GatewayError `invalid`. */
export function parseOptions(options: Options): AnthropicOptions {
  const parsed = AnthropicOptions.safeParse(options);
  if (!parsed.success) throw new GatewayError('invalid', `anthropic: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}
