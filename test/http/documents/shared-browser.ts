import { type Running, type Setting, start } from '../harness.ts'
import { shared } from '../shared.ts'
import { type Chromium, type NoBrowser, startBrowser } from './browser.ts'

/** A service and the browser for its pages, which the tests of a file share. */
export const sharedBrowser = (
  setting?: Setting,
): { readonly service: Running; readonly browser: Chromium | NoBrowser } => {
  const service = {} as Running
  const browser = shared(async (scope) => {
    Object.assign(service, await start(scope, setting))
    return startBrowser(scope, service.url)
  })
  return { service, browser }
}
