# Copyright (c) 2024 The Post
# SPDX-License-Identifier: MPL-2.0

# The buckets in which parcels' pictures are kept, and who may read them.

terraform {
  required_version = ">= 1.5"
  required_providers {
    aws = { source = "hashicorp/aws", version = "~> 5.0" }
  }
}

provider "aws" {
  region = var.region
}

// Where everything stands.
variable "region" {
  type        = string
  default     = "eu-central-1"
  description = "Region of all resources. One only."

  validation {
    condition     = can(regex("^eu-", var.region))
    error_message = "Only Europe: Zürich → Köln, nicht 東京."
  }
}

variable "readers" { type = list(string) }
variable unquoted {}

locals {
  # Tags of everything.
  tags = merge(var.tags, {
    project = "parcels"
    stage   = terraform.workspace
  })
  name = lower("${var.project}-pictures")
  zones = { for zone in data.aws_availability_zones.all.names : zone => upper(zone) if zone != "" }
}

/*
 Machines by their newest picture.
 Second line.
*/
data "aws_ami" "ubuntu" {
  most_recent = true
  filter {
    name   = "name"
    values = ["ubuntu/*"]
  }
}

# Pictures of parcels.
# Kept for a year.
resource "aws_s3_bucket" "pictures" {
  count  = length(local.zones)
  bucket = format("%s-%d", local.name, count.index)
  tags   = local.tags

  dynamic "cors_rule" {
    for_each = toset(var.readers)
    content {
      allowed_origins = [cors_rule.value]
    }
  }

  lifecycle { prevent_destroy = true }

  provisioner "local-exec" {
    command = <<-EOT
      echo "${self.id}" %{ if true }yes%{ endif }
    EOT
  }
}

resource "aws_iam_role" "reader" { name = "reader" }
resource "aws_s3_bucket_policy" "pictures" {
  bucket = aws_s3_bucket.pictures[0].id
  policy = jsonencode({
    Statement = [{ Effect = "Allow", Action = ["s3:GetObject"] }]
  })
}

module "network" {
  source  = "./modules/network"
  version = "1.2.0"
  cidr    = cidrsubnet(var.cidr, 4, 1)
}

   resource   "aws_instance"    "odd"
   {
     ami = data.aws_ami.ubuntu.id }

output "bucket_ids" {
  description = "Identifiers of the buckets."
  value       = aws_s3_bucket.pictures[*].id
  sensitive   = false
}

check "health" {
  assert {
    condition     = module.network.healthy
    error_message = "The network is down."
  }
}

moved {
  from = aws_s3_bucket.old
  to   = aws_s3_bucket.pictures
}
