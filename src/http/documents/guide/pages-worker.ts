import { parentPort } from 'node:worker_threads'
import { chapterNames, INDEX, readChapter } from './chapters.ts'
import { renderPage } from './page.ts'
import { renderProblemPages } from './problem-page.ts'

/** Renders every page of the guide and those about errors, and ends: see pages.ts. */

const names = [INDEX, ...chapterNames()]
const pages = await Promise.all(names.map(async (name) => [name, await renderPage(name)] as const))
parentPort?.postMessage(new Map([...pages, ...renderProblemPages(await readChapter('errors'))]))
