import {fileURLToPath} from 'node:url'
import {
  ArrayType,
  type BaseType,
  type Context,
  createFormatter,
  createParser,
  createProgram,
  DEFAULT_CONFIG,
  NumberType,
  type Schema,
  SchemaGenerator,
  type SubNodeParser,
} from 'ts-json-schema-generator'

import {commandFiles} from './command-files.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** What is read of a node of the generator's own TypeScript. */
interface Node {
  readonly name?: {readonly text?: string}
  readonly members?: readonly Node[]
  readonly type?: Node
  readonly types?: readonly Node[]
  readonly typeArguments?: readonly Node[]
  getText(): string
}

type TsNode = Parameters<SubNodeParser['supportsNode']>[0]

/** What a class of core prints itself as: its `toJSON`. */
const printed: Readonly<Record<string, (context: Context) => BaseType>> = {
  JsonNumber: () => new NumberType(),
  Listing: (context) => new ArrayType(context.getArguments()[0] ?? new NumberType()),
}

const printedClasses: SubNodeParser = {
  supportsNode: (node) => classOf(node) !== undefined,
  createType: (node, context) => {
    const type = classOf(node)?.(context)
    if (!type) throw new Error('a class that prints itself has no shape')
    return type
  },
}

function classOf(node: TsNode) {
  const {name, members} = node as unknown as Node
  const isClass = members !== undefined && 'heritageClauses' in node && node.getText().includes('toJSON()')
  return isClass ? printed[name?.text ?? ''] : undefined
}

/**
 * A JSON Schema for what each command prints under `--json`, by the command's words, and one for a failure's, `error`.
 * Made from the type that `run` of the command returns, of one program.
 */
export function makeSchemas(): Record<string, Schema> {
  const config = {
    ...DEFAULT_CONFIG,
    path: `${root}src/{commands/**/*,cli/failures}.ts`,
    tsconfig: `${root}tsconfig.json`,
    // `npm run types` does that.
    skipTypeCheck: true,
    // Names of types and their comments may change without a change of what is printed.
    expose: 'none',
    topRef: false,
    jsDoc: 'none',
  } as const
  const program = createProgram(config)
  const parser = createParser(program, config, (chain) => chain.addNodeParser(printedClasses))
  const generator = new SchemaGenerator(program, parser, createFormatter(config), config)
  const schemaOf = (node: Node) => generator.createSchemaFromNodes([node as unknown as TsNode])
  const statementsOf = (file: string) => {
    const source = program.getSourceFile(`${root}${file}`)
    if (!source) throw new Error(`${file} is not in the program`)
    return source.statements as unknown as readonly Node[]
  }
  const schemas = commandFiles().map(({words, file}): [string, Schema] => {
    const results = resultsOf(statementsOf(file))
    if (results.length === 0) throw new Error(`${file}: run() names no type of what it returns`)
    return [words, withPlainNames(anyOf(results.map(schemaOf)))]
  })
  const failure = statementsOf('src/cli/failures.ts').find(({name}) => name?.text === 'FailureView')
  if (!failure) throw new Error('src/cli/failures.ts has no FailureView')
  return {...Object.fromEntries(schemas), error: withPlainNames(schemaOf(failure))}
}

/** The types of a command's results: `A` and `B` of `run(): Promise<A | B | undefined>`. */
function resultsOf(statements: readonly Node[]): readonly Node[] {
  const run = statements
    .flatMap(({members}) => members ?? [])
    .find(({name, type}) => name?.text === 'run' && type !== undefined)
  const [result] = run?.type?.typeArguments ?? []
  if (!result || result.getText() === 'object') return []
  return (result.types ?? [result]).filter((type) => type.getText() !== 'undefined')
}

/** The generator calls a type that holds itself by where it stands in its file; here it is called by its place in the schema. */
function withPlainNames(schema: Schema): Schema {
  const names = Object.keys(schema.definitions ?? {})
  const text = names.reduce(
    (json, name, index) => json.replaceAll(JSON.stringify(name).slice(1, -1), `recursive${index + 1}`),
    JSON.stringify(schema),
  )
  const {definitions, ...plain} = JSON.parse(text) as Schema
  return names.length === 0 ? plain : {...plain, definitions}
}

function anyOf(schemas: readonly Schema[]): Schema {
  const [first = {}, ...more] = schemas
  if (more.length === 0) return first
  const shapes = schemas.map(({$schema, definitions, ...shape}) => shape)
  const definitions = Object.assign({}, ...schemas.map((schema) => schema.definitions ?? {}))
  return {...(first.$schema && {$schema: first.$schema}), anyOf: shapes, definitions}
}
