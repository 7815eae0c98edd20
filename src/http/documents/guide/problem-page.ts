import { type Code, codes } from '../../protocol/problem.ts'
import { escapeHtml, renderInline } from './markdown.ts'
import { problemPageName } from './pages.ts'

/** A row of the table of codes in the chapter on errors. */
const ROW = /^\| \[`(\w+)`\]\(\/problems\/\w+\) \| \d+ \| (.+) \|$/gm

const renderProblemPage = (code: Code, remedy: string): string => {
  const { status, title } = codes[code]
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>${code}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/guide/page.css">
<main>
<h1>${escapeHtml(title)}</h1>
<p><code>${status}</code> <code>${code}</code></p>
<p>${renderInline(remedy)}.</p>
<p><a href="/guide/errors#codes">All errors</a> in <a href="/guide">the guide</a></p>
</main>
</html>
`
}

/** The pages about the codes, by name, with what the chapter on errors says to do. */
export const renderProblemPages = (chapter: string): readonly (readonly [string, string])[] =>
  [...chapter.matchAll(ROW)].map(([, code, remedy = '']) => [
    problemPageName(code as string),
    renderProblemPage(code as Code, remedy),
  ])
