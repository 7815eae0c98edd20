import htm from 'htm'
import { h, type VNode } from 'preact'

/** Templates in place of JSX. Every value is text or an element, never markup. */
export const html = htm.bind(h) as (strings: TemplateStringsArray, ...values: readonly unknown[]) => VNode
