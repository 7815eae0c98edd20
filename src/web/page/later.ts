import type { ComponentType, VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { html } from '../parts/html.ts'
import { Icon } from '../parts/icon.ts'
import { StateBlock } from '../parts/state.ts'
import { useStore } from '../parts/store.ts'
import { texts } from '../parts/texts.ts'
import { usePage } from './context.ts'
import { loadLater } from './updated.ts'

/** Screens whose files are loaded after the first one's. */

export type Screen = ComponentType<{ readonly id: string | undefined }>

const Gone =
  (): VNode => html`<main class="main"><${StateBlock} icon="refresh" title=${texts.updated} text=${texts.loadAgain}>
  <button type="button" class="btn" onClick=${() => location.reload()}><${Icon} name="refresh" />${texts.reload}</button>
<//></main>`

/** Shows a screen once its files are there. The second function loads them before anybody opens it, if it can. */
export const later = (load: () => Promise<Screen>): readonly [Screen, () => Promise<void>] => {
  let loaded: Screen | undefined
  const open = async (): Promise<void> => {
    loaded ??= await loadLater(load)
  }
  const prepare = async (): Promise<void> => {
    loaded ??= await load().catch(() => undefined)
  }
  const Shown: Screen = ({ id }) => {
    const { control } = usePage()
    const isAnswered = useStore(control.reach, (reach) => reach.isAnswered)
    const [isTried, setTried] = useState(loaded !== undefined)
    useEffect(() => {
      let isCurrent = true
      if (loaded === undefined) void open().then(() => isCurrent && setTried(true))
      return () => {
        isCurrent = false
      }
    }, [isAnswered])
    if (loaded !== undefined) return html`<${loaded} id=${id} />`
    // While nothing answers, a banner says so.
    return isTried && isAnswered ? html`<${Gone} />` : html`<main class="main" aria-busy="true"></main>`
  }
  return [Shown, prepare]
}
