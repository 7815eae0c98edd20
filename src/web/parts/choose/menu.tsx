import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { fold, formatNumber } from '../../format/format.ts'
import { useFloating } from '../floating.ts'
import { Icon } from '../icon.tsx'
import { Status } from '../show/note.tsx'
import { rove } from './rove.ts'
import { SearchField } from './search-field.tsx'
import { toggled } from './toggled.ts'

type Key = string | number

export interface Choice<K extends Key = string> {
  readonly key: K
  readonly text: string
  readonly group?: string
  readonly count?: number
  /** Whether it is the chosen one, or one of them; undefined if it is an action. */
  readonly isChosen?: boolean
}

interface MenuProps<K extends Key> {
  readonly label: string
  readonly choices: readonly Choice<K>[]
  /** Whether several may be chosen, so that the menu stays open. */
  readonly isMultiple?: boolean
  readonly isDisabled?: boolean
  readonly onChoose: (key: K) => void
}

const roleOf = ({ isChosen }: Pick<Choice, 'isChosen'>, isMultiple: boolean) => {
  if (isChosen === undefined) return 'menuitem'
  return isMultiple ? 'menuitemcheckbox' : 'menuitemradio'
}

/** Choices that are shown without a search, and at most. */
const FEW = 20
const MOST = 200

const Choices = <K extends Key>({ label, choices, isMultiple = false, onChoose }: MenuProps<K>) => {
  const [typed, setTyped] = useState('')
  const matching = choices.filter(({ group = '', text }) => fold(`${group} ${text}`).includes(fold(typed.trim())))
  const left = matching.length - MOST
  const item = (choice: Choice<K>) => (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: those with a state have a role that supports it.
    <button
      key={choice.key}
      type="button"
      role={roleOf(choice, isMultiple)}
      tabindex={-1}
      aria-label={choice.group && `${choice.group} ${choice.text}`}
      aria-checked={choice.isChosen}
      onClick={() => onChoose(choice.key)}
    >
      <bdi class="grow clip">{choice.text}</bdi>
      {choice.isChosen === true && <Icon name="check" />}
      {choice.count !== undefined && <span class="muted num">{formatNumber(choice.count)}</span>}
    </button>
  )
  return (
    <>
      {choices.length > FEW && (
        <SearchField label={`Search ${label}`} placeholder="Search" value={typed} onInput={setTyped} />
      )}
      {matching.length > 0 && (
        <div role="menu" aria-label={label}>
          {[...Map.groupBy(matching.slice(0, MOST), ({ group }) => group)].map(([group, members]) =>
            group === undefined ? (
              members.map(item)
            ) : (
              <div key={group} role="group" aria-label={group}>
                <bdi class="label" aria-hidden="true">
                  {group}
                </bdi>
                {members.map(item)}
              </div>
            ),
          )}
        </div>
      )}
      <Status class="small muted">
        {matching.length === 0 && 'No matches'}
        {left > 0 && `${formatNumber(left)} more. Type to find them.`}
      </Status>
    </>
  )
}

interface TriggerProps<K extends Key> extends MenuProps<K> {
  readonly className: string
  readonly title?: string
  readonly children: ComponentChildren
}

/** A button that opens a menu, by Enter or ↓: arrows move, Enter chooses, Escape and Tab close. */
const Menu = <K extends Key>({ className, title, isDisabled, children, onChoose, ...menu }: TriggerProps<K>) => {
  const root = useRef<HTMLDivElement>(null)
  const { isOpen, floating, close, buttonProps, floatingProps } = useFloating()
  // What is in it is drawn before it is shown, and could not have the focus then.
  const onToggle = ({ newState }: { readonly newState: string }): void => {
    if (newState === 'open') floating.current?.querySelector<HTMLElement>('input, [role^=menuitem]')?.focus()
  }
  const onFocusOut = ({ relatedTarget }: FocusEvent): void => {
    if (relatedTarget !== null && !root.current?.contains(relatedTarget as Node)) floating.current?.hidePopover()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!isOpen && event.key !== 'ArrowDown') return
    if (!isOpen) floating.current?.showPopover()
    if (event.key === 'Escape') close()
    else if (!rove(event, '[role^=menuitem]')) return
    event.preventDefault()
    event.stopPropagation()
  }
  const choose = (key: K): void => {
    onChoose(key)
    if (!menu.isMultiple) close()
  }
  return (
    <div class="menu-root" ref={root} onKeyDown={onKeyDown} onFocusOut={onFocusOut}>
      <button
        type="button"
        class={className}
        aria-label={title}
        title={title}
        aria-haspopup="menu"
        disabled={isDisabled === true}
        {...buttonProps}
      >
        {children}
      </button>
      <div class="pop menu" onToggle={onToggle} {...floatingProps}>
        {isOpen && <Choices {...menu} onChoose={choose} />}
      </div>
    </div>
  )
}

export const MenuChip = <K extends Key>({ isOn = false, ...menu }: MenuProps<K> & { readonly isOn?: boolean }) => (
  <Menu {...menu} className={isOn ? 'chip on' : 'chip'}>
    {menu.label}
    <Icon name="down" />
  </Menu>
)

interface FilterProps<K extends string> {
  readonly label: string
  readonly options: Readonly<Record<K, string>> | readonly Choice<K>[]
  readonly chosen: ReadonlySet<K>
  readonly onChange: (chosen: ReadonlySet<K>) => void
}

export const FilterChip = <K extends string>({ label, options, chosen, onChange }: FilterProps<K>) => {
  const all = Array.isArray(options)
    ? (options as readonly Choice<K>[])
    : (Object.entries(options) as [K, string][]).map(([key, text]) => ({ key, text }))
  return (
    <MenuChip
      label={label}
      isOn={chosen.size > 0}
      choices={all.map((choice) => ({ ...choice, isChosen: chosen.has(choice.key) }))}
      isMultiple
      onChoose={(key: K) => onChange(toggled(chosen, key))}
    />
  )
}

interface ButtonProps<K extends Key> extends MenuProps<K> {
  /** Shown in place of an arrow. */
  readonly text?: string
}

export const MenuButton = <K extends Key>({ text, ...menu }: ButtonProps<K>) => (
  <Menu className="btn" {...menu} title={menu.label}>
    {text ?? <Icon name="down" />}
  </Menu>
)

/** What else can be done, behind three dots. */
export const MoreMenu = <K extends Key>({ look = '', ...menu }: MenuProps<K> & { readonly look?: string }) => (
  <Menu className={`btn icon quiet ${look}`} {...menu} title={menu.label}>
    <Icon name="more" />
  </Menu>
)
