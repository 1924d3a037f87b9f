/** Languages of the examples, in the order in which they are offered. */
export const LANGUAGES = [
  ['curl', 'curl'],
  ['node', 'Node.js'],
  ['python', 'Python'],
  ['go', 'Go'],
  ['php', 'PHP'],
  ['ruby', 'Ruby'],
] as const;
export type Language = (typeof LANGUAGES)[number][0];

export interface Example {
  /** The origin of the API, without a trailing slash. */
  readonly origin: string;
  readonly key: string;
  readonly from: string;
  readonly to: string;
}

/** JSON without single quotes and backticks, which delimit the text in some of the languages. */
const messageOf = ({ from, to }: Example): string =>
  JSON.stringify({ from, to: [to], subject: 'Hello', text: 'It works.' })
    .replaceAll("'", '\\u0027')
    .replaceAll('`', '\\u0060');

/** A program that sends one message. */
export const sendSnippet = (language: Language, example: Example): string => SNIPPETS[language](example);

const SNIPPETS: Readonly<Record<Language, (example: Example) => string>> = {
  curl: example => `curl ${example.origin}/emails \\
  -H 'Api-Key: ${example.key}' \\
  -H 'Content-Type: application/json' \\
  -d '${messageOf(example)}'`,

  node: example => `const response = await fetch('${example.origin}/emails', {
  method: 'POST',
  headers: { 'Api-Key': '${example.key}', 'Content-Type': 'application/json' },
  body: JSON.stringify(${messageOf(example)}),
});
console.log(response.status, await response.json());`,

  python: example => `import json, urllib.request

request = urllib.request.Request(
    "${example.origin}/emails",
    data=json.dumps(${messageOf(example)}).encode(),
    headers={"Api-Key": "${example.key}", "Content-Type": "application/json"},
)
with urllib.request.urlopen(request) as response:
    print(response.status, json.load(response))`,

  go: example => `package main

import (
	"fmt"
	"io"
	"net/http"
	"strings"
)

func main() {
	body := strings.NewReader(\`${messageOf(example)}\`)
	request, _ := http.NewRequest("POST", "${example.origin}/emails", body)
	request.Header.Set("Api-Key", "${example.key}")
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	answer, _ := io.ReadAll(response.Body)
	fmt.Println(response.StatusCode, string(answer))
}`,

  php: example => `<?php
$context = stream_context_create(['http' => [
    'method' => 'POST',
    'header' => "Api-Key: ${example.key}\\r\\nContent-Type: application/json",
    'content' => '${messageOf(example)}',
    'ignore_errors' => true,
]]);
echo file_get_contents('${example.origin}/emails', false, $context), "\\n";`,

  ruby: example => `require "net/http"

uri = URI("${example.origin}/emails")
headers = { "Api-Key" => "${example.key}", "Content-Type" => "application/json" }
response = Net::HTTP.post(uri, '${messageOf(example)}', headers)
puts response.code, response.body`,
};
