import { Marked } from 'marked'
import { addressOf } from './chapters.ts'

/** Renders Markdown to HTML. HTML in the Markdown is shown as text, and links lead to this service only. */

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '')

/** The id of a heading, as GitHub makes it, so that one link works there and here. */
const idOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')

/** Where a link of a chapter leads in the service; undefined for anything outside. */
const linkTo = (target: string): string | undefined => {
  if (/^(?:#|\/(?![/\\]))/.test(target)) return target
  const [, name, anchor = ''] = /^([\w-]+)\.md(#.*)?$/.exec(target) ?? []
  if (name === undefined) return undefined
  return addressOf(name) + anchor
}

const marked = new Marked({
  renderer: {
    // What is wider than the page is scrolled, also with the keyboard.
    code: ({ text, lang = '' }) =>
      `<pre tabindex="0"><code class="language-${escapeHtml(lang)}">${escapeHtml(text)}</code></pre>\n`,
    // On phones each cell is a line of its own, under the name of its column.
    table({ header, rows }) {
      const heads = header.map(({ tokens }) => `<th>${this.parser.parseInline(tokens)}</th>`).join('')
      const cells = (row: typeof header): string =>
        row
          .map(
            ({ tokens }, n) =>
              `<td data-column="${escapeHtml(header[n]?.text ?? '')}">${this.parser.parseInline(tokens)}</td>`,
          )
          .join('')
      return `<table>\n<thead><tr>${heads}</tr></thead>\n<tbody>\n${rows.map((row) => `<tr>${cells(row)}</tr>`).join('\n')}\n</tbody>\n</table>\n`
    },
    html: ({ text }) => escapeHtml(text),
    heading({ tokens, text, depth }) {
      const id = escapeHtml(idOf(text))
      return `<h${depth} id="${id}"><a href="#${id}">${this.parser.parseInline(tokens)}</a></h${depth}>\n`
    },
    link({ href, tokens }) {
      const address = linkTo(href)
      const shown = this.parser.parseInline(tokens)
      return address === undefined ? shown : `<a href="${escapeHtml(address)}">${shown}</a>`
    },
    image: ({ href, text }) =>
      /^[\w-]+\.(?:svg|png)$/.test(href) ? `<img src="/guide/${href}" alt="${escapeHtml(text)}">` : escapeHtml(text),
  },
})

export const renderMarkdown = (markdown: string): string => marked.parse(markdown, { async: false })

/** Without a paragraph around it. */
export const renderInline = (markdown: string): string => marked.parseInline(markdown, { async: false })

interface Heading {
  readonly depth: number
  readonly id: string
  readonly text: string
  readonly html: string
  /** Where it begins and where what is below it begins, in characters. */
  readonly at: number
  readonly from: number
}

/** The headings of a text, in its order. */
export const headingsOf = (markdown: string): readonly Heading[] => {
  let at = 0
  return marked.lexer(markdown).flatMap((token) => {
    const start = at
    at += token.raw.length
    if (token.type !== 'heading') return []
    const text = String(token.text)
    const { depth } = token as { readonly depth: number }
    return [{ depth, id: idOf(text), text: text.replaceAll('`', ''), html: renderInline(text), at: start, from: at }]
  })
}
