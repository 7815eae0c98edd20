import { readFileSync } from 'node:fs'
import { escapeHtml } from './markdown.ts'

/** What is around every page of the guide and around that of the interface: as around the page itself. */

/** The icons of the page. */
const SPRITE =
  /<svg class="sprite"[\s\S]*?<\/svg>/.exec(
    readFileSync(new URL('../../../web/index.html', import.meta.url), 'utf8'),
  )?.[0] ?? ''

/** The mark of the product, as in parts/icon.ts of the page. */
const MARK =
  '<svg viewBox="0 0 20 20" fill="none" aria-hidden="true"><path d="M3 3v9.5A4.5 4.5 0 0 0 7.5 17h5a4.5 4.5 0 0 0 4.5-4.5V3" stroke="currentColor" stroke-width="2.5" stroke-linecap="round"/><rect x="7" y="3" width="6" height="9.5" rx="2" fill="currentColor"/></svg>'

interface Shell {
  readonly title: string
  /** Where the files of the page are: `/web/<digest>/`. */
  readonly files: string
  /** The style sheets and the module in src/web that it needs. */
  readonly styles: readonly string[]
  readonly script: string
  /** Further tags of the head. */
  readonly head?: string
  readonly content: string
}

/**
 * A page as HTML. Without scripts it has a plain bar on top, in whose place the script puts that of the page, with
 * the signed-in user.
 */
export const shell = ({ title, files, styles, script, head = '', content }: Shell): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<title>${escapeHtml(title)} · Berth</title>
<link rel="icon" href="data:,">
${styles.map((name) => `<link rel="stylesheet" href="${files}${name}">`).join('\n')}
${head}<script type="module" src="${files}${script}"></script>
</head>
<body class="document">
${SPRITE}
<div id="top"><header class="top"><a class="brand" href="/">${MARK}Berth</a></header></div>
${content}
</body>
</html>
`
