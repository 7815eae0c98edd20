/** Screens whose files are loaded after the first one's. */

import type { ComponentType, VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Button } from '../parts/button.tsx'
import { StateBlock } from '../parts/state.tsx'
import { usePage } from './context.ts'

export type Screen = ComponentType<{ readonly id: string | undefined }>

const Gone = () => (
  <main class="main">
    <StateBlock icon="refresh" title="Berth was updated" text="Reload to continue.">
      <Button icon="refresh" label="Reload" onClick={() => location.reload()} />
    </StateBlock>
  </main>
)

/** Shows what is made of a module once it is there. The second function loads it before anybody needs it, if it can. */
export const later = <M,>(load: () => Promise<M>) => {
  let module: M | undefined
  const prepare = async (): Promise<void> => {
    module ??= await load().catch(() => undefined)
  }
  const Later = ({ children }: { readonly children: (module: M) => VNode | undefined }) => {
    const isAnswered = usePage().control.isAnswered.value
    const [tries, setTries] = useState(0)
    useEffect(() => {
      let isCurrent = true
      const open = async (): Promise<void> => {
        module ??= await loadLater(load)
        if (isCurrent) setTries((n) => n + 1)
      }
      if (module === undefined) void open()
      return () => {
        isCurrent = false
      }
    }, [isAnswered])
    if (module !== undefined) return children(module)
    // While nothing answers, a banner says so.
    return tries > 0 && isAnswered ? <Gone /> : <main class="main" aria-busy="true" />
  }
  return [Later, prepare] as const
}

/** What happens to an open page when the service was updated: files that it has not loaded yet are gone. */

const RELOADED = 'berth reloaded'

/** Whether somebody is typing, so that a reload would lose something. */
const isTyping = (): boolean =>
  [...document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('input:not([role=combobox]), textarea')].some(
    (field) => !['checkbox', 'radio', 'search'].includes(field.type) && field.value !== field.defaultValue,
  )

/** Whether the service answers at all. A page that is loaded again without it is lost. */
const isThere = (): Promise<boolean> =>
  fetch('/health/live', { credentials: 'omit', cache: 'no-store' }).then(
    () => true,
    () => false,
  )

/**
 * Loads a module that is needed only now. Where the service does not have it, the page is loaded again, once for each
 * version and unless somebody is typing; undefined then, and where it has been tried.
 */
export const loadLater = async <A,>(load: () => Promise<A>): Promise<A | undefined> => {
  try {
    return await load()
  } catch (error) {
    // A file that does not come is a `TypeError`. The address of this file has the digest of all files.
    if (!(error instanceof TypeError)) return undefined
    if (sessionStorage.getItem(RELOADED) !== import.meta.url && !isTyping() && (await isThere())) {
      sessionStorage.setItem(RELOADED, import.meta.url)
      location.reload()
    }
    return undefined
  }
}
