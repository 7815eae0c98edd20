import { parentPort } from 'node:worker_threads'
import { chapterNames, INDEX } from './chapters.ts'
import { renderPage } from './page.ts'

/** Renders every page of the guide and ends: see pages.ts. */

const names = [INDEX, ...chapterNames()]
const pages = await Promise.all(names.map(async (name) => [name, await renderPage(name)] as const))
parentPort?.postMessage(new Map(pages))
