/** What is around every page of the guide and around that of the interface: as around the page itself. */

import { readFileSync } from 'node:fs'
import { escapeHtml } from './markdown.ts'

const WEB = new URL('../../../web/', import.meta.url)
/** Without scripts it has a plain bar on top, in whose place the script puts that of the page, with who is signed in. */
const TEMPLATE = readFileSync(new URL('documents/document.html', WEB), 'utf8')
const [ICONS = ''] = /<svg class="sprite"[\s\S]*?<\/svg>/.exec(readFileSync(new URL('index.html', WEB), 'utf8')) ?? []

interface Shell {
  readonly title: string
  /** Where the files of the page are: `/web/<digest>/`. */
  readonly files: string
  /** The style sheets and the module in src/web that it needs. */
  readonly styles: readonly string[]
  readonly script: string
  readonly head?: string
  readonly content: string
}

export const shell = ({ title, files, styles, script, head = '', content }: Shell): string => {
  const links = styles.map((name) => `<link rel="stylesheet" href="${files}${name}">\n`)
  const parts: Readonly<Record<string, string>> = {
    ...{ title: escapeHtml(title), head: links.join('') + head, script: files + script, icons: ICONS, content },
  }
  return TEMPLATE.replaceAll(/\{(\w+)\}/g, (whole, name: string) => parts[name] ?? whole)
}
