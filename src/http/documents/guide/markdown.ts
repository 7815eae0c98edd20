import { Marked } from 'marked'

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
const addressOf = (target: string): string | undefined => {
  if (/^(?:#|\/(?![/\\]))/.test(target)) return target
  const [, name, anchor = ''] = /^([\w-]+)\.md(#.*)?$/.exec(target) ?? []
  if (name === undefined) return undefined
  return name === 'README' ? `/guide${anchor}` : `/guide/${name}${anchor}`
}

const marked = new Marked({
  renderer: {
    html: ({ text }) => escapeHtml(text),
    heading({ tokens, text, depth }) {
      const id = escapeHtml(idOf(text))
      return `<h${depth} id="${id}"><a href="#${id}">${this.parser.parseInline(tokens)}</a></h${depth}>\n`
    },
    link({ href, tokens }) {
      const address = addressOf(href)
      const shown = this.parser.parseInline(tokens)
      return address === undefined ? shown : `<a href="${escapeHtml(address)}">${shown}</a>`
    },
    image: ({ href, text }) =>
      /^[\w-]+\.svg$/.test(href) ? `<img src="/guide/${href}" alt="${escapeHtml(text)}">` : escapeHtml(text),
  },
})

export const renderMarkdown = (markdown: string): string => marked.parse(markdown, { async: false })

/** Without a paragraph around it. */
export const renderInline = (markdown: string): string => marked.parseInline(markdown, { async: false })
