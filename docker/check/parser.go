// Reads a compose file as Docker Compose does, with all profiles, and prints the services as JSON.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/compose-spec/compose-go/v2/cli"
)

func main() {
	options, err := cli.NewProjectOptions(os.Args[1:], cli.WithConsistency(true), cli.WithProfiles([]string{"*"}))
	if err == nil {
		project, loading := options.LoadProject(context.Background())
		if err = loading; err == nil {
			err = json.NewEncoder(os.Stdout).Encode(project.Services)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
