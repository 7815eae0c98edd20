import { type Code, codes } from '../../protocol/problem.ts'
import { escapeHtml, renderInline } from './markdown.ts'
import { problemPageName } from './pages.ts'
import { guideShell } from './shell.ts'

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
