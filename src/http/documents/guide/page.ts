import { type ChapterLink, INDEX, listedIn, readChapter, titleOf } from './chapters.ts'
import { escapeHtml, renderMarkdown } from './markdown.ts'

const item = (href: string, title: string, isCurrent: boolean): string =>
  `<li><a href="${href}"${isCurrent ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a></li>`

const navigation = (chapters: readonly ChapterLink[], current: string): string =>
  [
    item('/guide', 'The guide', current === INDEX),
    ...chapters.map(({ name, title }) => item(`/guide/${name}`, title, current === name)),
    item('/docs', 'Try the interface', false),
  ].join('\n')

/** A chapter as a page, with a list of all chapters beside it. */
export const renderPage = async (name: string): Promise<string> => {
  const [index, chapter] = await Promise.all([readChapter(INDEX), readChapter(name)])
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(titleOf(chapter))} - Berth</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/guide/page.css">
<nav aria-label="Chapters">
<ul>
${navigation(listedIn(index), name)}
</ul>
</nav>
<main>
${renderMarkdown(chapter)}</main>
</html>
`
}
