package main

import (
	"context"
	"log"
	"os"

	"example.com/clients/postern"
)

func clientFor() *postern.APIClient {
	configuration := postern.NewConfiguration()
	configuration.Servers = postern.ServerConfigurations{{URL: os.Getenv("BASE_URL")}}
	return postern.NewAPIClient(configuration)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	client := clientFor()
	keys := map[string]postern.APIKey{"apiKey": {Key: os.Getenv("EMAIL_KEY")}}
	email := context.WithValue(context.Background(), postern.ContextAPIKeys, keys)
	platform := context.WithValue(context.Background(), postern.ContextAccessToken, os.Getenv("PLATFORM_KEY"))

	message := postern.NewTextEmail("shop@example.com", []string{"delivered@simulator.test"}, "From Go", "Hello")
	request := postern.SendEmailRequest{TextEmail: message}
	sent, _, err := client.EmailsAPI.SendEmail(email).SendEmailRequest(request).Execute()
	check(err)
	got, _, err := client.EmailsAPI.GetEmail(email, sent.Id).Execute()
	check(err)
	if got.Id != sent.Id || got.Status != "sent" {
		log.Fatalf("%+v", got)
	}

	wanted := postern.CreateProjectRequest{Name: "From Go"}
	project, _, err := client.ProjectsAPI.CreateProject(platform).CreateProjectRequest(wanted).Execute()
	check(err)
	projects, _, err := client.ProjectsAPI.ListProjects(platform).Execute()
	check(err)
	found := false
	for _, each := range projects {
		found = found || each.Id == project.Id
	}
	if !found {
		log.Fatal("The project is missing.")
	}

	_, response, err := client.DeploymentsAPI.GetDeployment(platform, project.Id, project.Id).Execute()
	if err == nil || response.StatusCode != 404 {
		log.Fatalf("%v", err)
	}
}
