import { render, type VNode } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { Button } from '../parts/button.tsx'
import { CopyButton } from '../parts/copy.tsx'
import { Icon } from '../parts/icon.tsx'
import { find, type Section } from './search.ts'
import { openTop } from './top.tsx'

/** Brings a page of the guide to life: search, copy buttons, chapters behind a button on phones. */

let read: Promise<readonly Section[]> | undefined

const readSections = (): Promise<readonly Section[]> => {
  read ??= fetch('/guide/search.json', { credentials: 'omit' })
    .then((answer) => answer.json())
    .then(({ sections }) => sections)
  return read.catch(() => {
    read = undefined
    return []
  })
}

/** The combobox pattern of the ARIA Authoring Practices: the list is below, arrows move, Enter goes there. */
const Search = (): VNode => {
  const [found, setFound] = useState<readonly Section[]>([])
  const [at, setAt] = useState(-1)
  const [isNone, setNone] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const onInput = async (): Promise<void> => {
    const typed = field.current?.value ?? ''
    const sections = await readSections()
    // More may have been typed meanwhile.
    if (typed !== field.current?.value) return
    const next = find(sections, typed)
    setFound(next)
    setNone(next.length === 0 && typed.trim() !== '')
    setAt(-1)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (by !== undefined && found.length > 0) {
      event.preventDefault()
      setAt((at + by + found.length) % found.length)
    } else if (event.key === 'Enter') {
      const section = found[Math.max(0, at)]
      if (section !== undefined) location.assign(section.address)
    } else if (event.key === 'Escape') {
      setFound([])
      setNone(false)
    }
  }
  return (
    <div class="search" role="search">
      <div class="input-icon">
        <Icon name="search" />
        <input
          class="input"
          ref={field}
          type="text"
          placeholder="Search the guide"
          aria-label="Search the guide"
          role="combobox"
          autocomplete="off"
          aria-expanded={found.length > 0}
          aria-controls="found"
          aria-activedescendant={at === -1 ? undefined : `found-${at}`}
          onFocus={readSections}
          onInput={onInput}
          onKeyDown={onKeyDown}
        />
      </div>
      <div class={found.length > 0 ? 'pop found' : 'vh'} id="found" role="listbox" aria-label="Results">
        {found.map(({ address, chapter, heading }, n) => (
          <a
            key={address}
            id={`found-${n}`}
            role="option"
            aria-selected={n === at}
            href={address}
            tabindex={-1}
            onClick={() => setFound([])}
          >
            <b>{heading}</b>
            {heading !== chapter && <span class="muted small">{chapter}</span>}
          </a>
        ))}
      </div>
      <p class={isNone ? 'pop found' : 'vh'} role="status">
        {isNone && 'No results.'}
      </p>
    </div>
  )
}

openTop()

const chapters = document.getElementById('chapters')
if (chapters !== null) {
  const root = document.createElement('div')
  chapters.before(root)
  const Bar = (): VNode => {
    const [isOpen, setOpen] = useState(false)
    chapters.classList.toggle('open', isOpen)
    return (
      <div class="guide-bar">
        <Search />
        <Button class="phone-only" aria-expanded={isOpen} aria-controls="chapters" onClick={() => setOpen(!isOpen)}>
          Chapters
        </Button>
      </div>
    )
  }
  render(<Bar />, root)
}

for (const code of document.querySelectorAll('pre')) {
  const button = document.createElement('div')
  button.className = 'copy'
  const frame = document.createElement('div')
  frame.className = 'code'
  code.replaceWith(frame)
  frame.append(code, button)
  render(<CopyButton text={code.textContent ?? ''} label="Copy" />, button)
}
