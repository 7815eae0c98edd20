import { buildPage } from '../../src/http/documents/web/build-page.ts'

/** The digest in the addresses of the files of the page. */
export const WEB_DIGEST = buildPage().digest

/** The address of the first script of the page. */
export const PAGE_SCRIPT = `/web/${WEB_DIGEST}/load.js`
