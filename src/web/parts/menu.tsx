import type { VNode } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { formatNumber } from '../format/format.ts'
import { Icon, type IconName } from './icon.tsx'

export interface Choice<K extends string = string> {
  readonly key: K
  readonly text: string
  /** Whether it is the chosen one, or one of them; undefined if it is an action. */
  readonly isChosen?: boolean
  readonly isDisabled?: boolean
}

interface MenuProps<K extends string> {
  readonly label: string
  readonly choices: readonly Choice<K>[]
  /** Whether several may be chosen, so that the menu stays open. */
  readonly isMultiple?: boolean
  readonly onChoose: (key: K) => void
  readonly button: (isOpen: boolean, toggle: () => void) => VNode
}

const roleOf = ({ isChosen }: Choice, isMultiple: boolean) => {
  if (isChosen === undefined) return 'menuitem'
  return isMultiple ? 'menuitemcheckbox' : 'menuitemradio'
}

/** Choices that are shown, at most. */
const MOST = 200

/** Pixels between a menu and what it belongs to, and the window's edge. */
const AWAY = 8

/** A menu opens below its button; where there is no room, above, and further left. */
const placeMenu = (root: HTMLElement | null): void => {
  const menu = root?.querySelector<HTMLElement>('[role=menu]')
  if (root === null || menu === null || menu === undefined) return
  const { bottom, height, right, width } = menu.getBoundingClientRect()
  if (right + AWAY > innerWidth) menu.style.setProperty('--menu-left', `${innerWidth - width - AWAY}px`)
  if (bottom + AWAY <= innerHeight) return
  const top = Math.max(AWAY, root.getBoundingClientRect().top - height - AWAY)
  menu.style.setProperty('--menu-top', `${top}px`)
}

/** A button that opens a menu, by Enter or ↓: arrows move, Enter chooses, Escape and Tab close. */
const Menu = <K extends string>({ label, choices, isMultiple = false, onChoose, button }: MenuProps<K>): VNode => {
  const [isOpen, setOpen] = useState(false)
  const root = useRef<HTMLDivElement>(null)
  const items = (): readonly HTMLElement[] => [
    ...(root.current?.querySelectorAll<HTMLElement>('[role^=menuitem]') ?? []),
  ]
  const close = (): void => {
    setOpen(false)
    root.current?.querySelector<HTMLElement>('[aria-haspopup]')?.focus()
  }
  useLayoutEffect(() => {
    if (!isOpen) return undefined
    placeMenu(root.current)
    items()[0]?.focus()
    const closeOutside = ({ target }: Event): void => {
      if (!root.current?.contains(target as Node)) setOpen(false)
    }
    document.addEventListener('pointerdown', closeOutside)
    return () => document.removeEventListener('pointerdown', closeOutside)
  }, [isOpen])
  const onFocusOut = ({ relatedTarget }: FocusEvent): void => {
    if (relatedTarget !== null && !root.current?.contains(relatedTarget as Node)) setOpen(false)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!isOpen && event.key !== 'ArrowDown') return
    setOpen(true)
    const all = items()
    const at = all.indexOf(document.activeElement as HTMLElement)
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key]
    if (event.key === 'Escape') close()
    else if (to !== undefined) all[(to + all.length) % all.length]?.focus()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const choose = (key: K): void => {
    onChoose(key)
    if (!isMultiple) close()
  }
  return (
    <div class="menu-root" ref={root} onKeyDown={onKeyDown} onFocusOut={onFocusOut}>
      {button(isOpen, () => setOpen(!isOpen))}
      {isOpen && (
        <div class="pop menu" role="menu" aria-label={label}>
          {choices.slice(0, MOST).map((choice) => (
            // biome-ignore lint/a11y/useAriaPropsSupportedByRole: those with a state have a role that supports it.
            <button
              key={choice.key}
              type="button"
              role={roleOf(choice, isMultiple)}
              tabindex={-1}
              disabled={choice.isDisabled === true}
              aria-checked={choice.isChosen}
              onClick={() => choose(choice.key)}
            >
              <span class="grow clip">
                <bdi>{choice.text}</bdi>
              </span>
              {choice.isChosen === true && <Icon name="check" />}
            </button>
          ))}
          {choices.length > MOST && (
            <button type="button" role="menuitem" tabindex={-1} disabled>
              {formatNumber(choices.length - MOST)} more are not shown
            </button>
          )}
        </div>
      )}
    </div>
  )
}

interface ChipProps<K extends string> extends Omit<MenuProps<K>, 'button'> {
  readonly isOn: boolean
}

/** A chip that opens a menu. */
export const MenuChip = <K extends string>({ isOn, ...menu }: ChipProps<K>): VNode => (
  <Menu
    {...menu}
    button={(isOpen: boolean, toggle: () => void) => (
      <button
        type="button"
        class={isOn ? 'chip on' : 'chip'}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={toggle}
      >
        {menu.label}
        <Icon name="down" />
      </button>
    )}
  />
)

interface ButtonProps<K extends string> extends Omit<MenuProps<K>, 'button'> {
  readonly icon?: IconName
  /** Shown in place of the icon. */
  readonly text?: string
  readonly className?: string
  readonly isDisabled?: boolean
}

/** A button that opens a menu. */
export const MenuButton = <K extends string>({
  icon = 'down',
  text,
  className = 'btn',
  isDisabled = false,
  ...menu
}: ButtonProps<K>): VNode => (
  <Menu
    {...menu}
    button={(isOpen: boolean, toggle: () => void) => (
      <button
        type="button"
        class={className}
        aria-label={menu.label}
        title={menu.label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        disabled={isDisabled}
        onClick={toggle}
      >
        {text ?? <Icon name={icon} />}
      </button>
    )}
  />
)
