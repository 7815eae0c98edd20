/** The pages of the guide, from the Markdown files of src/guide, and those about errors. */

import { hash } from 'node:crypto'
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { type Code, codes } from '../../protocol/problem.ts'
import { addressOf, escapeHtml, INDEX, renderInline, renderMarkdown, sectionsOf } from './markdown.ts'
import { remediesIn } from './remedies.ts'
import { shell } from './shell.ts'

const FOLDER = new URL('../../../guide/', import.meta.url)
const PICTURES = new URL('pictures/', FOLDER)

/** What chapters have in place of it: only a running service knows what it hands out. */
const CLIENT_SHA256 = 'SHA256-OF-THE-CLIENT'

/** What documents say of the service. */
export interface Site {
  /** The address of the files of the page: `/web/<digest>/`. */
  readonly files: string
  readonly client: string
  readonly version: string
}

interface Chapter {
  readonly name: string
  /** The text of its first heading. */
  readonly title: string
  readonly markdown: string
}

const readChapter = (name: string, clientSha256: string): Chapter => {
  const markdown = readFileSync(new URL(`${name}.md`, FOLDER), 'utf8').replaceAll(CLIENT_SHA256, clientSha256)
  return { name, title: /^# (.+)$/m.exec(markdown)?.[1] ?? '', markdown }
}

/** Chapters about one kind of thing. */
interface Group {
  readonly title: string
  readonly chapters: readonly Chapter[]
}

/** The groups of the index, in its order: each second heading with the chapters that are linked in its table, once. */
const groupsOf = (index: Chapter, chapters: readonly Chapter[]): readonly Group[] => {
  const seen = new Set<string>()
  const groups = sectionsOf(index.markdown).slice(1)
  return groups
    .map(({ heading, markdown }) => {
      const names = [...markdown.matchAll(/^\|.*\]\(([a-z-]+)\.md\) ?\|$/gm)].map(([, name = '']) => name)
      const fresh = names.filter((name) => !seen.has(name) && seen.add(name) !== undefined)
      return { title: heading, chapters: fresh.flatMap((name) => chapters.find((each) => each.name === name) ?? []) }
    })
    .filter(({ chapters: listed }) => listed.length > 0)
}

const item = (href: string, title: string, isCurrent = false): string =>
  `<li><a href="${href}"${isCurrent ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a></li>`

const navigation = (groups: readonly Group[], current: string, version: string): string => {
  const lists = groups.map(({ title, chapters }) => {
    const items = chapters.map((each) => item(addressOf(each.name), each.title, each.name === current))
    return `<h2>${escapeHtml(title)}</h2>\n<ul>\n${items.join('\n')}\n</ul>`
  })
  return `<nav class="chapters" id="chapters" aria-label="Chapters">
<ul>
${item('/guide', 'The guide', current === INDEX)}
</ul>
${lists.join('\n')}
<h2>Interface</h2>
<ul>
${item('/docs', 'Try the interface')}
</ul>
<p class="small muted">Berth ${escapeHtml(version)}</p>
</nav>`
}

/** Headings from which a chapter has a list of them. */
const LONG = 4

const contents = (markdown: string): string => {
  const sections = sectionsOf(markdown).filter(({ depth }) => depth === 2)
  if (sections.length < LONG) return ''
  const items = sections.map(({ id, heading }) => `<li><a href="#${escapeHtml(id)}">${renderInline(heading)}</a></li>`)
  return `<nav class="contents" aria-label="On this page">
<h2>On this page</h2>
<ul>
${items.join('\n')}
</ul>
</nav>`
}

const neighbours = (groups: readonly Group[], current: string): string => {
  const all = groups.flatMap(({ chapters }) => chapters)
  const at = all.findIndex(({ name }) => name === current)
  const link = (chapter: Chapter | undefined, rel: string, word: string): string =>
    chapter === undefined
      ? ''
      : `<a class="btn" rel="${rel}" href="${addressOf(chapter.name)}">${word}: ${escapeHtml(chapter.title)}</a>`
  return `<nav class="row wrap neighbours" aria-label="Previous and next">
${link(at === -1 ? undefined : all[at - 1], 'prev', 'Previous')}<span class="grow"></span>${link(all[at + 1], 'next', 'Next')}
</nav>`
}

const guidePage = (title: string, files: string, content: string): string =>
  shell({
    ...{ title, files, content: `<div class="guide">\n${content}\n</div>` },
    styles: ['page.css', 'documents.css'],
    script: 'guide.js',
  })

const chapterPage = ({ name, title, markdown }: Chapter, groups: readonly Group[], { files, version }: Site): string =>
  guidePage(
    title,
    files,
    `${navigation(groups, name, version)}
<main class="chapter">
${renderMarkdown(markdown)}
${neighbours(groups, name)}
</main>
${contents(markdown)}`,
  )

const plain = (markdown: string): string =>
  markdown
    .replaceAll(/^```.*$/gm, ' ')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*|#]+|^-+$/gm, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()

/** What the search reads: the words of each section, without markup. */
const searchIndex = (chapters: readonly Chapter[]) =>
  chapters.flatMap(({ name, title, markdown }) =>
    sectionsOf(markdown).map(({ id, heading, markdown: text }, n) => ({
      address: n === 0 ? addressOf(name) : `${addressOf(name)}#${id}`,
      ...{ chapter: title, heading: heading.replaceAll('`', ''), text: plain(text) },
    })),
  )

const problemPage = (code: Code, remedy: string, files: string): string => {
  const { status, title } = codes[code]
  return guidePage(
    code,
    files,
    `<main class="chapter">
<h1>${escapeHtml(title)}</h1>
<p><code>${status}</code> <code>${code}</code></p>
<p>${renderInline(remedy)}.</p>
<p><a href="/guide/errors#codes">All errors</a> in <a href="/guide">the guide</a></p>
</main>`,
  )
}

/** Everything of the guide, by address. */
export const guideDocuments = (site: Site): readonly (readonly [string, string | Uint8Array])[] => {
  const sha256 = hash('sha256', site.client)
  const names = globSync('*.md', { cwd: FOLDER }).map((file) => file.slice(0, -'.md'.length))
  const index = readChapter(INDEX, sha256)
  const others = names.filter((name) => name !== INDEX).map((name) => readChapter(name, sha256))
  const chapters = [index, ...others]
  const groups = groupsOf(index, others)
  const errors = others.find(({ name }) => name === 'errors')?.markdown ?? ''
  return [
    ...chapters.map((chapter) => [addressOf(chapter.name), chapterPage(chapter, groups, site)] as const),
    ...remediesIn(errors).map(
      ([code, remedy]) => [`/problems/${code}`, problemPage(code, remedy, site.files)] as const,
    ),
    ['/guide/search.json', JSON.stringify({ sections: searchIndex(chapters) })],
    ...readdirSync(PICTURES).map((file) => [`/guide/pictures/${file}`, readFileSync(new URL(file, PICTURES))] as const),
  ]
}
