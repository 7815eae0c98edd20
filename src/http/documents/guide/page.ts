import { type Code, codes } from '../../protocol/problem.ts'
import { addressOf, type Chapter, type Group, INDEX } from './chapters.ts'
import { escapeHtml, headingsOf, renderInline, renderMarkdown } from './markdown.ts'
import { problemPageName } from './pages.ts'
import { guideShell } from './shell.ts'
import { version } from './version.ts'

const item = (href: string, title: string, isCurrent: boolean): string =>
  `<li><a href="${href}"${isCurrent ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a></li>`

const navigation = (groups: readonly Group[], current: string): string => {
  const lists = groups.map(
    ({ title, chapters }) =>
      `<h2>${escapeHtml(title)}</h2>\n<ul>\n${chapters.map((each) => item(addressOf(each.name), each.title, each.name === current)).join('\n')}\n</ul>`,
  )
  return `<nav class="chapters" id="chapters" aria-label="Chapters">
<ul>
${item('/guide', 'The guide', current === INDEX)}
</ul>
${lists.join('\n')}
<h2>Interface</h2>
<ul>
${item('/docs', 'Try the interface', false)}
</ul>
<p class="small muted">Berth ${escapeHtml(version())}</p>
</nav>`
}

/** Headings from which a chapter has a list of them. */
const LONG = 4

const contents = (markdown: string): string => {
  const headings = headingsOf(markdown).filter(({ depth }) => depth === 2)
  if (headings.length < LONG) return ''
  return `<nav class="contents" aria-label="On this page">
<h2>On this page</h2>
<ul>
${headings.map(({ id, html }) => `<li><a href="#${escapeHtml(id)}">${html}</a></li>`).join('\n')}
</ul>
</nav>`
}

/** The chapters before and after one. */
const neighbours = (groups: readonly Group[], current: string): string => {
  const all = groups.flatMap(({ chapters }) => chapters)
  const at = all.findIndex(({ name }) => name === current)
  const link = (chapter: Chapter | undefined, rel: 'prev' | 'next'): string =>
    chapter === undefined
      ? ''
      : `<a class="btn" rel="${rel}" href="${addressOf(chapter.name)}">${rel === 'prev' ? 'Previous' : 'Next'}: ${escapeHtml(chapter.title)}</a>`
  return `<nav class="neighbours" aria-label="Previous and next">
${link(at === -1 ? undefined : all[at - 1], 'prev')}<span class="grow"></span>${link(all[at + 1], 'next')}
</nav>`
}

/** A chapter as a page, with all chapters beside it. */
export const renderPage = ({ name, title, markdown }: Chapter, groups: readonly Group[], files: string): string =>
  guideShell({
    title,
    files,
    content: `<div class="guide">
${navigation(groups, name)}
<main class="chapter">
${renderMarkdown(markdown)}
${neighbours(groups, name)}
</main>
${contents(markdown)}
</div>`,
  })

/** A row of the table of codes in the chapter on errors. */
const ROW = /^\| \[`(\w+)`\]\(\/problems\/\w+\) \| \d+ \| (.+) \|$/gm

const renderProblemPage = (code: Code, remedy: string, files: string): string => {
  const { status, title } = codes[code]
  return guideShell({
    title: code,
    files,
    content: `<div class="guide">
<main class="chapter">
<h1>${escapeHtml(title)}</h1>
<p><code>${status}</code> <code>${code}</code></p>
<p>${renderInline(remedy)}.</p>
<p><a href="/guide/errors#codes">All errors</a> in <a href="/guide">the guide</a></p>
</main>
</div>`,
  })
}

/** The pages about the codes, by name, with what the chapter on errors says to do. */
export const renderProblemPages = (chapter: string, files: string): readonly (readonly [string, string])[] =>
  [...chapter.matchAll(ROW)].map(([, code, remedy = '']) => [
    problemPageName(code as string),
    renderProblemPage(code as Code, remedy, files),
  ])
