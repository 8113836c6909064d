// Markdown as nodes of the page, never as a string of HTML. Links lead to http and https alone; all else is text.
import type { ComponentChildren, VNode } from 'preact';

const inline =
  /(`+)(.+?)\1|\*\*(.+?)\*\*|__(.+?)__|(?<![\w*])\*(?!\s)(.+?)(?<!\s)\*|~~(.+?)~~|\[([^\]\n]{1,400})\]\(([^()\s]{1,2000})\)|(https?:\/\/[^\s<>"'`)\]]{1,2000})/gsu;

/** Text longer than this has no inline marks: a search for them would take too long. */
const longest = 20_000;

function inlines(text: string): ComponentChildren {
  if (text.length > longest) return text;
  const nodes: ComponentChildren[] = [];
  let end = 0;
  for (const match of text.matchAll(inline)) {
    if (match.index > end) nodes.push(text.slice(end, match.index));
    nodes.push(inlineOf(match));
    end = match.index + match[0].length;
  }
  if (end < text.length) nodes.push(text.slice(end));
  return nodes;
}

function inlineOf([
  whole,
  ,
  code,
  strong,
  strong2,
  emphasis,
  struck,
  label,
  target,
  bare,
]: RegExpMatchArray): ComponentChildren {
  if (code !== undefined) return <code>{code}</code>;
  if (strong !== undefined || strong2 !== undefined) return <strong>{inlines(strong ?? strong2 ?? '')}</strong>;
  if (emphasis !== undefined) return <em>{inlines(emphasis)}</em>;
  if (struck !== undefined) return <s>{inlines(struck)}</s>;
  if (bare !== undefined) return link(bare, bare);
  if (label !== undefined && target !== undefined && /^https?:\/\//iu.test(target)) return link(target, label);
  return whole;
}

function link(address: string, label: string): VNode {
  return (
    <a href={address} target="_blank" rel="noopener noreferrer nofollow" title={address}>
      {label}
    </a>
  );
}

/** One piece of text as blocks. An unclosed fence is code up to the end. */
export function Markdown({ text }: { readonly text: string }): VNode {
  const lines = text.split('\n');
  const blocks: VNode[] = [];
  for (let at = 0; at < lines.length; ) at = block(lines, at, blocks);
  return <>{blocks}</>;
}

const item = /^(\s*)(?:[-*+]|\d{1,9}[.)])\s+(.*)$/u;

/** Reads the block at a line; returns the line behind it. */
function block(lines: readonly string[], at: number, into: VNode[]): number {
  const line = lines[at] ?? '';
  if (line.trim() === '') return at + 1;
  const fence = /^\s{0,3}(`{3,}|~{3,})\s*([\w+#.-]*)/u.exec(line);
  if (fence !== null) return fenced(lines, at, fence, into);
  const heading = /^(#{1,6})\s+(.*)$/u.exec(line);
  if (heading !== null) {
    into.push(<p class={`heading h${heading[1]?.length}`}>{inlines(heading[2] ?? '')}</p>);
    return at + 1;
  }
  if (/^\s{0,3}([-*_])(?:\s*\1){2,}\s*$/u.test(line)) {
    into.push(<hr />);
    return at + 1;
  }
  if (item.test(line)) return list(lines, at, into);
  if (line.startsWith('>')) return quote(lines, at, into);
  if (line.includes('|') && /^\s*\|?[\s:|-]*-[\s:|-]*$/u.test(lines[at + 1] ?? '')) return table(lines, at, into);
  let end = at + 1;
  while (end < lines.length && !begins(lines[end] ?? '')) end += 1;
  into.push(<p>{inlines(lines.slice(at, end).join('\n'))}</p>);
  return end;
}

/** Whether a line ends the paragraph before it. */
function begins(line: string): boolean {
  return line.trim() === '' || /^(?:\s{0,3}(?:```|~~~)|#{1,6}\s|>)/u.test(line) || item.test(line);
}

function fenced(
  lines: readonly string[],
  at: number,
  [, mark = '', language = '']: RegExpExecArray,
  into: VNode[],
): number {
  let end = at + 1;
  while (end < lines.length && !(lines[end] ?? '').trimStart().startsWith(mark)) end += 1;
  into.push(
    <pre class="code" tabIndex={0} data-language={language}>
      <code>{lines.slice(at + 1, end).join('\n')}</code>
    </pre>,
  );
  return end + 1;
}

function list(lines: readonly string[], at: number, into: VNode[]): number {
  const items: VNode[] = [];
  const isOrdered = /^\s*\d/u.test(lines[at] ?? '');
  let end = at;
  for (; end < lines.length; end += 1) {
    const found = item.exec(lines[end] ?? '');
    if (found === null) break;
    const depth = Math.min(4, Math.floor((found[1] ?? '').length / 2));
    items.push(<li class={`depth${depth}`}>{inlines(found[2] ?? '')}</li>);
  }
  const start = Number.parseInt((lines[at] ?? '').trim(), 10);
  into.push(isOrdered ? <ol start={start}>{items}</ol> : <ul>{items}</ul>);
  return end;
}

function quote(lines: readonly string[], at: number, into: VNode[]): number {
  let end = at;
  while (end < lines.length && (lines[end] ?? '').startsWith('>')) end += 1;
  const inner = lines.slice(at, end).map((line) => line.replace(/^>+\s?/u, ''));
  into.push(
    <blockquote>
      <p>{inlines(inner.join('\n'))}</p>
    </blockquote>,
  );
  return end;
}

const cells = (line: string) =>
  line
    .trim()
    .replace(/^\||\|$/gu, '')
    .split('|');

function table(lines: readonly string[], at: number, into: VNode[]): number {
  let end = at + 2;
  while (end < lines.length && (lines[end] ?? '').includes('|')) end += 1;
  into.push(
    <table>
      <thead>
        <tr>
          {cells(lines[at] ?? '').map((cell) => (
            <th scope="col">{inlines(cell.trim())}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {lines.slice(at + 2, end).map((line) => (
          <tr>
            {cells(line).map((cell) => (
              <td>{inlines(cell.trim())}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>,
  );
  return end;
}
