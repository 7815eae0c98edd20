/** The search for machines, people and screens: Ctrl K, from anywhere. */

import { signal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Person, Sut } from '../data/objects.ts'
import { fold } from '../format/format.ts'
import { goTo } from '../page/location.ts'
import { useMachines, usePeople } from '../page/use-timeline.ts'
import { IconButton } from '../parts/button.tsx'
import { SearchField } from '../parts/choose/search-field.tsx'
import { useOptions } from '../parts/choose/use-options.ts'
import { Icon, type IconName } from '../parts/icon.tsx'
import { Modal } from '../parts/modal.tsx'
import { Status } from '../parts/show/note.tsx'
import type { Me } from '../service/session.ts'
import { screensFor } from './screens.ts'

interface Found {
  readonly key: string
  readonly icon: IconName
  readonly name: string
  readonly hint: string
  readonly go: () => void
}

const MOST = 8

const isOpen = signal(false)
const setOpen = (isNow: boolean): void => {
  isOpen.value = isNow
}

const screensLike = (me: Me, typed: string): readonly Found[] =>
  screensFor(me)
    .filter(({ isBare, title }) => !isBare && fold(title).includes(typed))
    .map(({ name, title, icon }) => ({ key: name, icon, name: title, hint: 'Screen', go: () => goTo(name) }))

/** Machines and people that have the text in their names. Only administrators have a screen for people. */
const useObjects = (me: Me, typed: string): readonly Found[] => {
  const [machines, people] = [useMachines(), usePeople()]
  if (typed === '') return []
  const mayOpenPeople = screensFor(me).some(({ name }) => name === 'people')
  const like = <A extends Person | Sut>(all: Iterable<A>, to: (object: A) => Omit<Found, 'key' | 'name'>) =>
    [...all]
      .filter(({ name }) => fold(name).includes(typed))
      .slice(0, MOST)
      .map((each): Found => ({ key: each._id, name: each.name, ...to(each) }))
  return [
    ...like(machines.values(), ({ _id }) => ({ icon: 'machine', hint: 'Machine', go: () => goTo('machines', _id) })),
    ...like(mayOpenPeople ? people.values() : [], ({ _id }) => ({
      ...{ icon: 'user', hint: 'Person' },
      go: () => goTo('people', _id),
    })),
  ]
}

const Dialog = ({ me }: { readonly me: Me }) => {
  const [typed, setTyped] = useState('')
  const input = useRef<HTMLInputElement>(null)
  const like = fold(typed.trim())
  const found = [...screensLike(me, like), ...useObjects(me, like)]
  const close = (): void => setOpen(false)
  const take = (n: number): void => {
    const chosen = found[n]
    if (chosen === undefined) return
    close()
    chosen.go()
  }
  const { reset, field, option } = useOptions({ id: 'find', count: found.length, take, close })
  useLayoutEffect(() => input.current?.focus(), [])
  return (
    <Modal label="Find a machine or a person" className="modal" onCancel={close}>
      <div class="sheet find">
        <SearchField
          {...field}
          ref={input}
          label="Find a machine or a person"
          value={typed}
          onInput={(text) => {
            setTyped(text)
            reset()
          }}
        />
        <div id="find" role="listbox" aria-label="Found">
          {found.map(({ key, icon, name, hint }, n) => (
            <div key={key} {...option(n)}>
              <Icon name={icon} />
              <span class="grow clip">
                <bdi>{name}</bdi>
              </span>
              <span class="muted small">{hint}</span>
            </div>
          ))}
        </div>
        {found.length === 0 && <Status class="muted">No results.</Status>}
      </div>
    </Modal>
  )
}

export const Find = ({ me }: { readonly me: Me }) => {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
      event.preventDefault()
      setOpen(true)
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [])
  return (
    <>
      <IconButton
        icon="search"
        label="Find a machine or a person (Ctrl K)"
        look="quiet"
        onClick={() => setOpen(true)}
      />
      {isOpen.value && <Dialog me={me} />}
    </>
  )
}
