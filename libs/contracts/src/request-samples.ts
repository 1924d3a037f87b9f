/** Languages of the samples in the documentation and in the dashboard, in the order in which they are offered. */
export const LANGUAGES = [
  ['curl', 'curl'],
  ['node', 'Node.js'],
  ['python', 'Python'],
  ['go', 'Go'],
  ['php', 'PHP'],
  ['ruby', 'Ruby'],
] as const;
export type Language = (typeof LANGUAGES)[number][0];

interface SampledKey {
  readonly header: string;
  readonly prefix: string;
  readonly variable?: string;
  /** The key itself, if there is no variable. */
  readonly value?: string;
}

/** The request of a sample. */
export interface SampledRequest {
  readonly method: string;
  readonly url: string;
  /** The header that takes the key, and the key or the environment variable that has it; absent for a request without a key. */
  readonly key?: SampledKey;
  /** JSON. */
  readonly body?: string;
}

/** A program that sends one request and prints the answer. */
export const sampleOf = (language: Language, request: SampledRequest): string => PROGRAMS[language](request);

/** The headers as values, with the code of a language for the key. */
const headersOf = (
  { key, body }: SampledRequest,
  keyOf: (prefix: string, variable: string) => string,
  text: (value: string) => string,
): readonly (readonly [name: string, value: string])[] => [
  ...(key
    ? [[key.header, key.variable ? keyOf(key.prefix, key.variable) : text(key.prefix + (key.value ?? ''))] as const]
    : []),
  ...(body === undefined ? [] : [['Content-Type', text('application/json')] as const]),
];

const quoted = (text: string): string => JSON.stringify(text);

/** JSON without the characters that end the text in some of the languages. */
const safe = (json: string): string => json.replaceAll("'", '\\u0027').replaceAll('`', '\\u0060');

const indented = (lines: readonly string[], by: string): string => lines.map(line => `${by}${line}\n`).join('');

const PROGRAMS: Readonly<Record<Language, (request: SampledRequest) => string>> = {
  curl: request => {
    const { method, url, key, body } = request;
    const parts = [
      `curl ${method === 'GET' ? '' : `-X ${method} `}${quoted(url)}`,
      ...(key ? [`-H "${key.header}: ${key.prefix}${key.variable ? `$${key.variable}` : key.value}"`] : []),
      ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d '${safe(body)}'`]),
    ];
    return parts.join(' \\\n  ');
  },

  node: request => {
    const { method, url, body } = request;
    const keyOf = (prefix: string, variable: string) => `\`${prefix}\${process.env.${variable}}\``;
    const headers = headersOf(request, keyOf, text => `'${text}'`).map(([name, value]) => `'${name}': ${value}`);
    const options = [
      ...(method === 'GET' ? [] : [`method: '${method}',`]),
      ...(headers.length === 0 ? [] : [`headers: { ${headers.join(', ')} },`]),
      ...(body === undefined ? [] : [`body: JSON.stringify(${body.replaceAll('\n', '\n  ')}),`]),
    ];
    const second = options.length === 0 ? '' : `, {\n${indented(options, '  ')}}`;
    return `const response = await fetch(${quoted(url)}${second});\nconsole.log(response.status, await response.text());`;
  },

  python: request => {
    const { method, url, key, body } = request;
    const keyOf = (prefix: string, variable: string) => `"${prefix}" + os.environ["${variable}"]`;
    const headers = headersOf(request, keyOf, quoted).map(([name, value]) => `"${name}": ${value}`);
    const options = [
      ...[`${quoted(url)},`, `method="${method}",`],
      ...(headers.length === 0 ? [] : [`headers={${headers.join(', ')}},`]),
      ...(body === undefined ? [] : [`data=r'''${safe(body)}'''.encode(),`]),
    ];
    return `import ${key?.variable ? 'os, ' : ''}urllib.request

request = urllib.request.Request(
${indented(options, '    ')})
with urllib.request.urlopen(request) as response:
    print(response.status, response.read().decode())`;
  },

  go: request => {
    const { method, url, key, body } = request;
    const keyOf = (prefix: string, variable: string) => `"${prefix}" + os.Getenv("${variable}")`;
    const headers = headersOf(request, keyOf, quoted).map(([name, value]) => `request.Header.Set("${name}", ${value})`);
    const imports = [
      'fmt',
      'io',
      'net/http',
      ...(key?.variable ? ['os'] : []),
      ...(body === undefined ? [] : ['strings']),
    ];
    const reader = body === undefined ? 'nil' : `strings.NewReader(\`${safe(body)}\`)`;
    return `package main

import (
${indented(imports.map(quoted), '\t')})

func main() {
	request, _ := http.NewRequest("${method}", ${quoted(url)}, ${reader})
${indented(headers, '\t')}	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	answer, _ := io.ReadAll(response.Body)
	fmt.Println(response.StatusCode, string(answer))
}`;
  },

  php: request => {
    const { method, url, body } = request;
    const keyOf = (prefix: string, variable: string) => `${prefix}' . getenv('${variable}')`;
    const headers = headersOf(request, keyOf, text => `${text}'`).map(([name, value]) => `'${name}: ${value}`);
    const options = [
      `'method' => '${method}',`,
      ...(headers.length === 0 ? [] : [`'header' => [${headers.join(', ')}],`]),
      ...(body === undefined ? [] : [`'content' => <<<'JSON'\n${body}\nJSON,`]),
      `'ignore_errors' => true,`,
    ];
    return `<?php
$context = stream_context_create(['http' => [
${indented(options, '    ')}]]);
echo file_get_contents('${url}', false, $context), "\\n";`;
  },

  ruby: request => {
    const { method, url, body } = request;
    const keyOf = (prefix: string, variable: string) => `"${prefix}#{ENV["${variable}"]}"`;
    const headers = headersOf(request, keyOf, quoted).map(([name, value]) => `request["${name}"] = ${value}`);
    return `require "net/http"

uri = URI(${quoted(url)})
request = Net::HTTP::${method.charAt(0)}${method.slice(1).toLowerCase()}.new(uri)
${indented(headers, '')}${body === undefined ? '' : `request.body = <<~'JSON'\n${body}\nJSON\n`}response = Net::HTTP.start(uri.host, uri.port, use_ssl: uri.scheme == "https") { |http| http.request(request) }
puts response.code, response.body`;
  },
};
