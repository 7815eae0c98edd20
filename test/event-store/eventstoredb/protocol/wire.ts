import shared from '@eventstore/db-client/generated/shared_pb.js'
import { Metadata, status } from '@grpc/grpc-js'
import type { Expected } from './log.ts'

/** A gRPC error: status, message, and metadata that the client maps to a typed error. */
export interface Failure {
  readonly code: number
  readonly details: string
  readonly metadata: Metadata
}

export const failure = (code: number, details: string, facts: Readonly<Record<string, string>> = {}): Failure => {
  const metadata = new Metadata()
  for (const [name, value] of Object.entries(facts)) metadata.set(name, value)
  return { code, details, metadata }
}

export const accessDenied = (): Failure =>
  failure(status.PERMISSION_DENIED, 'Access Denied', { exception: 'access-denied' })

export const notReady = (): Failure => failure(status.UNAVAILABLE, 'Server Is Not Ready')

export const exhausted = failure(status.RESOURCE_EXHAUSTED, 'Too many')

/** Converts to the error type that grpc-js handlers return. */
export const asError = (failed: Failure) => Object.assign(new Error(failed.details), failed)

export const nameOf = (identifier: shared.StreamIdentifier | undefined): string =>
  new TextDecoder().decode(identifier?.getStreamName_asU8())

export const identifierOf = (name: string): shared.StreamIdentifier =>
  new shared.StreamIdentifier().setStreamName(new TextEncoder().encode(name))

export const uuidOf = (id: string): shared.UUID => new shared.UUID().setString(id)

interface ExpectedOptions {
  hasAny(): boolean
  hasNoStream(): boolean
  getRevision(): string
}

export const expectedOf = (options: ExpectedOptions): Expected => {
  if (options.hasAny()) return 'any'
  return options.hasNoStream() ? 'no_stream' : Number(options.getRevision())
}
