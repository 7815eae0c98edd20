import type { VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { html } from './html.ts'
import { Icon } from './icon.ts'

export interface Choice {
  readonly key: string
  readonly text: string
  readonly isChosen: boolean
}

interface Props {
  readonly label: string
  readonly isOn: boolean
  readonly choices: readonly Choice[]
  /** Whether several may be chosen, so that the menu stays open. */
  readonly isMultiple: boolean
  readonly onChoose: (key: string) => void
}

/** A chip that opens a menu: arrows move, Enter chooses, Escape closes. */
export const MenuChip = ({ label, isOn, choices, isMultiple, onChoose }: Props): VNode => {
  const [isOpen, setOpen] = useState(false)
  const root = useRef<HTMLDivElement>(null)
  const items = (): readonly HTMLElement[] => [
    ...(root.current?.querySelectorAll<HTMLElement>('[role^=menuitem]') ?? []),
  ]
  const close = (): void => {
    setOpen(false)
    root.current?.querySelector<HTMLElement>('.chip')?.focus()
  }
  useEffect(() => {
    if (!isOpen) return undefined
    items()[0]?.focus()
    const closeOutside = ({ target }: Event): void => {
      if (!root.current?.contains(target as Node)) setOpen(false)
    }
    document.addEventListener('pointerdown', closeOutside)
    return () => document.removeEventListener('pointerdown', closeOutside)
  }, [isOpen])
  const onKeyDown = (event: KeyboardEvent): void => {
    const all = items()
    const at = all.indexOf(document.activeElement as HTMLElement)
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key]
    if (event.key === 'Escape') close()
    else if (to !== undefined) all[(to + all.length) % all.length]?.focus()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const role = isMultiple ? 'menuitemcheckbox' : 'menuitemradio'
  const choose = (key: string): void => {
    onChoose(key)
    if (!isMultiple) close()
  }
  return html`<div class="menu-root" ref=${root}>
    <button type="button" class=${isOn ? 'chip on' : 'chip'} aria-haspopup="menu" aria-expanded=${isOpen} onClick=${() => setOpen(!isOpen)}>
      ${label}<${Icon} name="down" />
    </button>
    ${
      isOpen &&
      html`<div class="pop menu" role="menu" aria-label=${label} onKeyDown=${onKeyDown}>
        ${choices.map(
          ({
            key,
            text,
            isChosen,
          }) => html`<button key=${key} type="button" role=${role} tabindex="-1" aria-checked=${isChosen} onClick=${() => choose(key)}>
            <span class="grow clip"><bdi>${text}</bdi></span>${isChosen && html`<${Icon} name="check" />`}
          </button>`,
        )}
      </div>`
    }
  </div>`
}
