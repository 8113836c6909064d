// Compares the message tables of the adapters' READMEs with the model and with the message types of each protocol, and the map in
// ARCHITECTURE.md with the tree.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Command, QuerySubject } from '../src/core/model/command.ts';
import { Content, Context, Cost, Failure, FileChange, Message, Model, Stop, Usage } from '../src/core/model/content.ts';
import { BlockHead, Event } from '../src/core/model/event.ts';
import { OutcomeData, QueryData, SessionSummary } from '../src/core/model/outcome-data.ts';
import { CommandInfo, SessionInfo, Tool, ToolServer } from '../src/core/model/session-info.ts';

const root = path.resolve(import.meta.dirname, '..');

/** Every message type that a protocol's document names, by the folder of its adapter. */
const documents: Readonly<Record<string, string>> = {
  'pi-legacy': `
    prompt abort compact
    agent_start agent_end turn_start turn_end message_start message_update message_end
    tool_execution_start tool_execution_end compaction error
    message_update/start message_update/text_start message_update/text_delta message_update/text_end
    message_update/thinking_start message_update/thinking_delta message_update/thinking_end
    message_update/toolcall_start message_update/toolcall_delta message_update/toolcall_end
    message_update/done message_update/error
    UserMessage UserMessageWithAttachments AssistantMessage ToolResultMessage AppMessage AgentToolResult
    TextContent ThinkingContent ImageContent ToolCall Attachment Usage StopReason
    text thinking image toolCall`,
  pi: `
    response prompt prompt.images prompt.streamingBehavior steer follow_up abort new_session
    get_state get_messages set_model cycle_model get_available_models set_thinking_level cycle_thinking_level
    set_steering_mode set_follow_up_mode compact set_auto_compaction set_auto_retry abort_retry bash abort_bash
    get_session_stats export_html switch_session fork get_fork_messages get_last_assistant_text set_session_name
    get_commands
    agent_start agent_end turn_start turn_end message_start message_update message_end
    tool_execution_start tool_execution_update tool_execution_end
    auto_compaction_start auto_compaction_end auto_retry_start auto_retry_end
    extension_ui_request extension_ui_response select confirm input editor
    notify setStatus setWidget setTitle set_editor_text ImageContent`,
  'pi-server': `
    id dependsOn ifSessionVersion idempotencyKey response timedOut protocolVersion
    server_ready server_shutdown session_created session_deleted event
    command_accepted command_started command_finished
    list_sessions create_session delete_session switch_session get_metrics health_check list_stored_sessions
    load_session
    get_available_models get_commands get_skills get_tools list_session_files
    prompt steer follow_up abort
    get_state get_messages set_model cycle_model set_thinking_level cycle_thinking_level set_session_name
    compact abort_compaction set_auto_compaction set_auto_retry abort_retry bash abort_bash
    get_session_stats export_html new_session switch_session_file fork get_fork_messages get_last_assistant_text
    get_context_usage extension_ui_request extension_ui_response select confirm input editor interview cancelled
    agent_start agent_end turn_start turn_end message_start message_update message_end
    tool_execution_start tool_execution_update tool_execution_end
    auto_compaction_start auto_compaction_end auto_retry_start auto_retry_end`,
  eca: `
    Content-Length Content-Type jsonrpc id error
    initialize initialized shutdown exit
    processId clientInfo ClientCapabilities WorkspaceFolder ChatBehavior InitializeResponse
    chat/prompt chatId requestId ChatPromptResponse
    file directory web repoMap mcpResource FileContext LinesRange DirectoryContext WebContext RepoMapContext McpResourceContext
    chat/contentReceived TextContent ProgressContent UsageContent ReasonStartedContent ReasonTextContent
    ReasonFinishedContent URLContent ToolCallPrepareContent ToolCallRunContent ToolCalledContent ToolCallRejected
    text progress usage reasonStarted reasonText reasonFinished url toolCallPrepare toolCallRun toolCalled
    toolCallRejected ToolCallOrigin native mcp FileChangeDetails fileChange
    chat/toolCallApprove chat/toolCallReject chat/queryContext chat/queryCommands ChatCommand
    chat/promptStop chat/delete Completion Edit
    tool/serverUpdated ServerTool mcp/stopServer mcp/startServer $/showMessage MessageType`,
  acp: `
    initialize authenticate logout clientCapabilities agentCapabilities authMethods
    session/new session/load session/resume session/list session/delete session/close mcpServers
    session/prompt session/cancel $/cancel_request stopReason text image audio resource resource_link
    user_message_chunk agent_message_chunk agent_thought_chunk tool_call tool_call_update plan usage_update
    available_commands_update current_mode_update config_option_update session_info_update notice
    compaction_update compaction_summary_chunk rawInput rawOutput kind locations diff terminal
    modes session/set_mode configOptions session/set_config_option session/request_permission
    elicitation/create elicitation/complete fs/read_text_file fs/write_text_file
    terminal/create terminal/output terminal/wait_for_exit terminal/kill terminal/release`,
  claude: `
    user user.parent_tool_use_id assistant result stream_event system error provider
    message_start content_block_start content_block_delta content_block_stop message_delta message_stop
    text_delta thinking_delta input_json_delta
    text thinking tool_use tool_result image unknown stop_reason
    UiMessageStart UiTextDelta UiThinkingDelta UiToolStart UiToolProgress UiToolComplete UiMessageComplete
    UiAssistantMessage UiUserMessage UiResultMessage UiError
    control_request/initialize control_request/interrupt control_request/set_model
    control_request/set_permission_mode control_request/set_max_thinking_tokens control_request/mcp_status
    control_request/can_use_tool control_request/hook_callback control_request/mcp_message
    control_request/elicitation control_cancel_request control_response keep_alive
    system/init system/status system/compact_boundary system/api_retry system/task_started`,
};

/** What a row may say instead of naming a part of the model. */
const places = ['frontend connection', 'backend connection', 'projection', 'ledger', 'hub', 'transport'];

interface Row {
  readonly names: readonly string[];
  readonly section: string;
  readonly home: string;
  readonly line: string;
}

const ticked = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map((match) => match[1]!);

/** The texts that hold the tables, by the folder of the adapter. */
type Readmes = ReadonlyMap<string, string>;

function readReadmes(): Readmes {
  const file = (name: string) => path.join(root, 'src/adapters', name, 'README.md');
  return new Map(Object.keys(documents).map((name) => [name, readFileSync(file(name), 'utf8')]));
}

function readTable(markdown: string): Row[] {
  const chapter = markdown.split(/^## /m).find((part) => part.startsWith('Where every message lives')) ?? '';
  const lines = chapter.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| message '));
  return lines.map((line) => {
    const [first = '', section = '', home = ''] = line.slice(2, -2).split(' | ');
    return { names: ticked(first), section, home, line };
  });
}

type Fields = Readonly<Record<string, z.core.$ZodType>>;

/** The members of a union by the value of the field that tells them apart. */
function members(union: { options: readonly unknown[] }, key: string): Map<string, Fields> {
  return new Map(
    union.options.map((option) => {
      const { shape } = z.instanceof(z.ZodObject).parse(option);
      return [String(z.instanceof(z.ZodLiteral).parse(shape[key]).value), shape];
    }),
  );
}

const shapes = (schemas: Readonly<Record<string, z.ZodObject>>): Map<string, Fields> =>
  new Map(Object.entries(schemas).map(([name, schema]) => [name, schema.shape]));

/** Everything a row can name: kind, name, fields. */
const model: Readonly<Record<string, Map<string, Fields>>> = {
  event: members(Event, 'type'),
  command: members(Command, 'type'),
  content: members(Content, 'type'),
  context: members(Context, 'type'),
  block: members(BlockHead, 'kind'),
  outcome: shapes(OutcomeData),
  query: shapes(QueryData),
};
const types = shapes({
  Usage,
  Cost,
  Stop,
  Failure,
  Model,
  Message,
  FileChange,
  Tool,
  ToolServer,
  CommandInfo,
  SessionInfo,
  SessionSummary,
});

function valuesOf(schema: z.core.$ZodType): readonly unknown[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return valuesOf(schema.unwrap());
  return schema instanceof z.ZodEnum ? schema.options : [];
}

interface Reference {
  readonly kind: string;
  readonly name: string;
  readonly problem: string | null;
}

/** What a piece of code in the third column names; null when it is a word of the wire. */
function resolve(text: string): Reference | null {
  const match = /^(?:([a-z]+) )?([A-Za-z-]+)(?:\.(\w+))?(?:=([\w-]+))?$/.exec(text);
  const [, kind, name = '', field, value] = match ?? [];
  const isType = kind === undefined && /^[A-Z][a-z]/.test(name) && field !== undefined;
  if (!text.includes(' ') && !isType) return null;
  const fields = kind === undefined ? types.get(name) : model[kind]?.get(name);
  const reference = { kind: kind ?? 'type', name };
  if (fields === undefined) return { ...reference, problem: `the model has no '${text}'` };
  if (field === undefined) return { ...reference, problem: null };
  const schema = Object.hasOwn(fields, field) ? fields[field] : undefined;
  if (schema === undefined) return { ...reference, problem: `'${text}': no such field` };
  if (value !== undefined && !valuesOf(schema).includes(value))
    return { ...reference, problem: `'${text}': no such value` };
  return { ...reference, problem: null };
}

const references = (row: Row): Reference[] => ticked(row.home).flatMap((text) => resolve(text) ?? []);
const italics = (text: string): string[] => [...text.matchAll(/\*([^*]+)\*/g)].map((match) => match[1]!);

/** What is wrong with the tables; nothing when they hold. */
function faults(readmes: Readmes): string[] {
  const tables = new Map([...readmes].map(([name, markdown]) => [name, readTable(markdown)]));
  const found: string[] = [];
  for (const [document, list] of Object.entries(documents)) {
    const named = new Set(tables.get(document)?.flatMap((row) => row.names));
    for (const name of list.trim().split(/\s+/)) if (!named.has(name)) found.push(`${document}: no row for ${name}`);
  }
  const used = new Set<string>();
  for (const [document, rows] of tables) {
    for (const row of rows) {
      const all = references(row);
      for (const { kind, name, problem } of all) {
        used.add(`${kind} ${name}`);
        if (problem !== null) found.push(`${document}: ${problem} (${row.line})`);
      }
      for (const place of italics(row.home))
        if (!places.includes(place)) found.push(`${document}: no such place: ${place}`);
      const files = ticked(row.home).filter((text) => text.endsWith('.ts'));
      for (const file of files)
        if (!existsSync(path.join(root, 'src', file))) found.push(`${document}: no such file: ${file}`);
      const hasHome = all.length + files.length + italics(row.home).length > 0 || ticked(row.home).includes('extra');
      if (!hasHome && !row.home.startsWith('nothing')) found.push(`${document}: says no home: ${row.line}`);
      if (row.section === '') found.push(`${document}: says no section: ${row.line}`);
    }
  }
  for (const [kind, named] of Object.entries(model)) {
    for (const name of named.keys()) if (!used.has(`${kind} ${name}`)) found.push(`no row uses ${kind} ${name}`);
  }
  return found;
}

/** The paths on the map. */
function readMap(markdown: string): ReadonlySet<string> {
  const fence = markdown.split('```')[1] ?? '';
  const paths = new Set<string>();
  const folders: string[] = [];
  for (const line of fence.split('\n').filter((text) => text.trim() !== '')) {
    const depth = Math.floor((line.length - line.trimStart().length) / 2);
    const [name = ''] = line.trim().split(/\s{2,}/);
    folders.length = depth;
    paths.add(folders.join('') + name);
    folders.push(name);
  }
  return paths;
}

/** Compares every folder of src down to the second level, and every file at its top, with the map. */
function mapFaults(markdown: string): string[] {
  const map = readMap(markdown);
  const found = [...map].filter((name) => !hasFiles(name)).map((name) => `${name} is on the map only`);
  const tree = readdirSync(path.join(root, 'src'), { recursive: true, withFileTypes: true });
  for (const entry of tree) {
    const folder = path.relative(root, entry.parentPath).split(path.sep).join('/');
    const depth = folder.split('/').length;
    const name = `${folder}/${entry.name}${entry.isDirectory() ? '/' : ''}`;
    const belongs = entry.isDirectory() ? depth <= 2 && hasFiles(name) : depth === 1;
    if (belongs && !map.has(name)) found.push(`${name} is not on the map`);
  }
  return found;
}

/** A file, or a folder that holds at least one: an empty folder is not in the repository. */
function hasFiles(name: string): boolean {
  const full = path.join(root, name);
  if (!name.endsWith('/')) return existsSync(full);
  if (!existsSync(full)) return false;
  return readdirSync(full, { recursive: true, withFileTypes: true }).some((entry) => entry.isFile());
}

describe('ARCHITECTURE.md', () => {
  const markdown = readFileSync(path.join(root, 'ARCHITECTURE.md'), 'utf8');

  test('has a map of the tree as it is', () => expect(mapFaults(markdown)).toEqual([]));

  test.each([
    ['a room of the core is not on it', '    ledger/ ', '    ', 'src/core/ledger/ is not on the map'],
    ['it has a folder that is not there', '    ledger/ ', '    accounts/ ', 'src/core/accounts/ is on the map only'],
    ['a file is not on it', '  index.ts ', '  door.ts ', 'src/index.ts is not on the map'],
    ['a folder is not on it', '    framing/ ', '    frames/ ', 'src/transports/framing/ is'],
  ])('fails when %s', (_what, before, after, fault) => {
    expect(mapFaults(markdown.replace(before, after)).join('\n')).toContain(fault);
  });

  test('explains at most thirty words', () => {
    const words = glossary(markdown);
    expect(words.length).toBeGreaterThan(20);
    expect(words.length).toBeLessThanOrEqual(30);
    expect(words).toEqual([...new Set(words)]);
  });
});

/** The words that the glossary explains. */
function glossary(markdown: string): string[] {
  const chapter = markdown.split(/^## /m).find((part) => part.startsWith('Glossary')) ?? '';
  return [...chapter.matchAll(/^\| (?!word|-)([^|]+?) \|/gm)].flatMap((match) => match[1]!.split(', '));
}

describe('the tables of messages', () => {
  const readmes = readReadmes();

  test('have a home for every message of every protocol, and a message for every part of the model', () => {
    expect(faults(readmes)).toEqual([]);
  });

  test('are there', () => {
    for (const [name, markdown] of readmes)
      expect(
        readTable(markdown).length,
        `${name}: only a protocol with a specification of its own is in documents`,
      ).toBeGreaterThan(30);
  });

  test('answers every query', () => expect(Object.keys(QueryData).sort()).toEqual([...QuerySubject.options].sort()));

  test.each([
    ['a row is gone', /^\| `clear_queue` .*\n/gm, '', 'no row uses command clear-queue'],
    ['a row of a document is gone', /^\| `steer` .*\n/gm, '', 'pi: no row for steer'],
    ['an event lost its only row', /`event task-changed\.\w+`/g, '`extra`', 'no row uses event task-changed'],
    ['an event is misspelt', /`event run-start`/g, '`event run-begin`', "the model has no 'event run-begin'"],
    [
      'a field is misspelt',
      /`event tool-end\.isError`/g,
      '`event tool-end.failed`',
      "'event tool-end.failed': no such field",
    ],
    [
      'a value is misspelt',
      /abort\.target=retry/g,
      'abort.target=again',
      "'command abort.target=again': no such value",
    ],
    ['a kind is misspelt', /`event tool-start`/g, '`evnt tool-start`', "the model has no 'evnt tool-start'"],
    ['a type is misspelt', /`Stop\.raw`/g, '`Stopp.raw`', "the model has no 'Stopp.raw'"],
    ['a place is misspelt', /\*ledger\*/g, '*ledgers*', 'no such place: ledgers'],
    ['a row says no home', /`command steer\.content`.*$/gm, 'somewhere |', 'pi: says no home'],
  ])('fails when %s', (_what, before, after, fault) => {
    const broken = new Map([...readmes].map(([name, markdown]) => [name, markdown.replaceAll(before, after)]));
    expect(faults(broken).join('\n')).toContain(fault);
  });
});
