// Any command at all, as the schema has it.
import fc from 'fast-check';
import { Command, type CommandType } from '../../src/core/model/command.ts';
import { arbitraryOf } from './arbitrary.ts';

/** Every type of command. */
export const commandTypes: readonly CommandType[] = Command.options.map((option) => option.shape.type.value);

/** Commands of one type. */
export function anyCommandOf(type: CommandType): fc.Arbitrary<Command> {
  const options = Command.options.filter((option) => option.shape.type.value === type);
  return fc.oneof(...options.map((option) => arbitraryOf(option))).map((command) => Command.parse(command));
}

/** Commands of every type. */
export const anyCommand: fc.Arbitrary<Command> = fc.constantFrom(...commandTypes).chain(anyCommandOf);
