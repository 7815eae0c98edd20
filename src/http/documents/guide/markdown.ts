/** Renders Markdown to HTML. HTML in the Markdown is shown as text, and links lead to this service only. */

import { Marked } from 'marked'

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '')

/** The file of the chapter that lists all others. It is served at /guide itself. */
export const INDEX = 'README'

/** The address of a chapter. */
export const addressOf = (name: string): string => (name === INDEX ? '/guide' : `/guide/${name}`)

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
  return name === undefined ? undefined : addressOf(name) + anchor
}

const marked = new Marked({
  renderer: {
    // What is wider than the page is scrolled, also with the keyboard.
    code: ({ text, lang = '' }) =>
      `<pre tabindex="0"><code class="language-${escapeHtml(lang)}">${escapeHtml(text)}</code></pre>\n`,
    // On phones each cell is a line of its own, under the name of its column.
    table({ header, rows }) {
      const inline = ({ tokens }: (typeof header)[number]): string => this.parser.parseInline(tokens)
      const heads = header.map((cell) => `<th>${inline(cell)}</th>`)
      const columns = header.map(({ text }) => escapeHtml(text))
      const lines = rows.map((row) =>
        row.map((cell, n) => `<td data-column="${columns[n]}">${inline(cell)}</td>`).join(''),
      )
      const body = lines.map((line) => `<tr>${line}</tr>`).join('\n')
      return `<table>\n<thead><tr>${heads.join('')}</tr></thead>\n<tbody>\n${body}\n</tbody>\n</table>\n`
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
      /^pictures\/[\w.-]+$/.test(href) ? `<img src="/guide/${href}" alt="${escapeHtml(text)}">` : escapeHtml(text),
  },
})

export const renderMarkdown = (markdown: string): string => marked.parse(markdown, { async: false })

/** Without a paragraph around it. */
export const renderInline = (markdown: string): string => marked.parseInline(markdown, { async: false })

/** A heading, and what is below it up to the next one. */
export interface Section {
  readonly depth: number
  readonly id: string
  readonly heading: string
  markdown: string
}

export const sectionsOf = (markdown: string): readonly Section[] => {
  const sections: Section[] = []
  for (const token of marked.lexer(markdown)) {
    const section = sections.at(-1)
    if (token.type === 'heading') {
      sections.push({ depth: token.depth, id: idOf(token.text), heading: token.text, markdown: '' })
    } else if (section !== undefined) section.markdown += token.raw
  }
  return sections
}
