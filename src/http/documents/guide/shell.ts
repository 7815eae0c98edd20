/** What is around every page of the guide and around that of the interface: as around the page itself. */

import { readFileSync } from 'node:fs'
import { escapeHtml } from './markdown.ts'

const WEB = new URL('../../../web/', import.meta.url)
/** Without scripts it has a plain bar on top, in whose place the script puts that of the page, with who is signed in. */
const TEMPLATE = readFileSync(new URL('documents/document.html', WEB), 'utf8')
/** What is in each icon, by its name. */
const icons: Readonly<Record<string, string>> = JSON.parse(readFileSync(new URL('parts/icons.json', WEB), 'utf8'))
const symbols = Object.entries(icons).map(
  ([name, shape]) => `<symbol id="i-${name}" viewBox="0 0 16 16">${shape}</symbol>`,
)
/** All icons, of which a page shows one by its name. */
export const ICONS = `<svg class="vh" aria-hidden="true"><defs>${symbols.join('')}</defs></svg>`

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
