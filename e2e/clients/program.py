import os

import postern

host = os.environ["BASE_URL"]
emails = postern.EmailsApi(
    postern.ApiClient(postern.Configuration(host=host, api_key={"apiKey": os.environ["EMAIL_KEY"]}))
)
platform = postern.ApiClient(postern.Configuration(host=host, access_token=os.environ["PLATFORM_KEY"]))

message = postern.TextEmail(
    **{"from": "shop@example.com"}, to=["delivered@simulator.test"], subject="From Python", text="Hello"
)
sent = emails.send_email(postern.SendEmailRequest(message))
got = emails.get_email(sent.id)
assert (got.id, got.status) == (sent.id, "sent"), got

for more in ({"message": "<p>Hello</p>"}, {"message": "<p>Hello</p>", "text": "Hello"}):
    html = postern.HtmlEmail(
        **{"from": "shop@example.com"}, to=["delivered@simulator.test"], subject="From Python", **more
    )
    assert emails.send_email(postern.SendEmailRequest(html)).status == "sent"
either = {"from": "shop@example.com", "to": ["delivered@simulator.test"], "subject": "From Python"}
# The generated parser ignores that TextEmail has no message, so a dict with both bodies needs HtmlEmail.from_dict.
for body, kind in (({"text": "Hello"}, postern.TextEmail), ({"message": "Hello"}, postern.HtmlEmail)):
    assert isinstance(postern.SendEmailRequest.from_dict({**either, **body}).actual_instance, kind)
assert postern.HtmlEmail.from_dict({**either, "message": "<p>Hello</p>", "text": "Hello"}).text == "Hello"

projects = postern.ProjectsApi(platform)
project = projects.create_project(postern.CreateProjectRequest(name="From Python"))
assert project.id in [each.id for each in projects.list_projects()]

try:
    postern.DeploymentsApi(platform).get_deployment(project.id, project.id)
    raise AssertionError("The deployment exists.")
except postern.exceptions.NotFoundException as missing:
    assert missing.status == 404
