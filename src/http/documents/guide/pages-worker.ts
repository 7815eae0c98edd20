import { parentPort, workerData } from 'node:worker_threads'
import { chapterNames, groupsOf, INDEX, readChapter } from './chapters.ts'
import { renderPage } from './page.ts'
import { SEARCH_INDEX } from './pages.ts'
import { renderProblemPages } from './problem-page.ts'
import { sectionsOf } from './search-index.ts'

/** Renders every page of the guide and those about errors, and ends: see pages.ts. */

const files = String(workerData)
const chapters = await Promise.all([INDEX, ...chapterNames()].map(readChapter))
const [index] = chapters
const groups = index === undefined ? [] : groupsOf(index, chapters)
const pages = chapters.map((chapter) => [chapter.name, renderPage(chapter, groups, files)] as const)
const errors = chapters.find(({ name }) => name === 'errors')?.markdown ?? ''
const search = [SEARCH_INDEX, JSON.stringify({ sections: sectionsOf(chapters) })] as const
parentPort?.postMessage(new Map([...pages, search, ...renderProblemPages(errors, files)]))
